#include "source/output_check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/io/entry.hpp"
#include "base/io/folder.hpp"
#include "source/names/normal_path.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

}  // namespace

void check_not_searched(const std::string& output, const SourceSet& sources) {
  for (const std::string& folder : sources.folders) {
    if (base::lies_in(normal_path(output), folder)) {
      throw UsageError(fmt::format("the output folder lies in the source folder {}", printable(folder)),
                       at(output), "what is written would be read again: choose another folder");
    }
  }
}

void check_output_folder(const std::string& output, const SourceSet& sources) {
  check_not_searched(output, sources);
  std::set<fs::path> checked;
  for (const SourceDataset& dataset : sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const SourceFile& file : *files) {
        if (file.kind == SourceKind::command) continue;
        const fs::path folder = fs::path(normal_path(file.path)).parent_path();
        if (!checked.insert(folder).second || !base::lies_in(folder, output)) continue;
        throw UsageError(fmt::format("the output folder holds the source {}", printable(file.path)),
                         at(output), "choose another folder");
      }
    }
  }
}

}  // namespace shardmill::source
