// What is written must not be read again: the checks of output folders, which source/source_set.hpp declares.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/io/folder.hpp"
#include "manifest/layout.hpp"
#include "source/file_name.hpp"
#include "source/source_set.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// The files of a folder that stay, by identity. Files that vanish during the search are left out: another
/// run may be at work there.
std::map<base::Identity, std::string> files_in(const std::string& folder) {
  std::map<base::Identity, std::string> files;
  std::error_code failure;
  fs::recursive_directory_iterator entries(folder, failure);
  for (; !failure && entries != fs::recursive_directory_iterator(); entries.increment(failure)) {
    std::error_code unknown;
    if (entries.depth() == 0 && entries->path().filename() == manifest::kWorkFolder) {
      entries.disable_recursion_pending();
    } else if (entries->is_regular_file(unknown) && !entries->is_symlink(unknown)) {
      if (const auto identity = base::identity_of(entries->path()))
        files.emplace(*identity, entries->path().string());
    }
  }
  return files;
}

void check_not_in_output(const SourceFile& file, const std::map<base::Identity, std::string>& written) {
  const auto identity = base::identity_of(file.path);
  if (!identity) return;
  const auto same = written.find(*identity);
  if (same == written.end()) return;
  throw UsageError(
      fmt::format("the source is the same file as {} in the output folder", printable(same->second)),
      at(file.path), "choose another output folder, or copy the source");
}

/// What a command reads is unknown, but it may name a file in the folder.
void check_command(const std::string& command, const std::string& output) {
  for (const std::string& folder : {normal_path(output), base::without_end_slashes(output)}) {
    const std::string name = folder + "/";
    for (auto begin = command.find(name); begin != std::string::npos; begin = command.find(name, begin + 1)) {
      const bool begins_path =
          begin == 0 || std::string_view(" '\"|;<(=").find(command[begin - 1]) != std::string::npos;
      if (!begins_path) continue;
      throw UsageError(
          fmt::format("a command of wav.scp reads files of the output folder: {}", printable(command)),
          at(output), "choose another folder");
    }
  }
}

}  // namespace

void check_not_searched(const std::string& output, const SourceSet& sources) {
  for (const std::string& folder : sources.folders) {
    if (base::lies_in(normal_path(output), folder)) {
      throw UsageError(fmt::format("the output folder lies in the source folder {}", printable(folder)),
                       at(output), "the output would be read again: choose another folder");
    }
  }
}

void check_output_folder(const std::string& output, const SourceSet& sources) {
  check_not_searched(output, sources);
  const std::map<base::Identity, std::string> written = files_in(output);
  std::set<fs::path> checked;
  for (const SourceDataset& dataset : sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const SourceFile& file : *files) {
        if (file.kind == SourceKind::command) {
          check_command(file.path, output);
          continue;
        }
        const fs::path folder = fs::path(normal_path(file.path)).parent_path();
        if (checked.insert(folder).second && base::lies_in(folder, output)) {
          throw UsageError(fmt::format("the output folder holds the source {}", printable(file.path)),
                           at(output), "choose another folder");
        }
        if (!written.empty()) check_not_in_output(file, written);
      }
    }
  }
}

}  // namespace shardmill::source
