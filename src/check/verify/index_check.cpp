#include "check/verify/index_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/form_files.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::check {

namespace {

/// A folder of its own below the system's folder for such things.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "shardmill-verify-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw system_error("cannot make a scratch folder", name);
    path_ = name;
  }
  ~ScratchFolder() {
    try {
      base::remove_tree(path_);
    } catch (const std::exception&) {
      // The check is done. What is left is scratch.
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Passes on only the request to stop: warnings about the indexes were given when they were made.
class SilentReporter final : public base::Reporter {
 public:
  explicit SilentReporter(const base::Reporter& reporter) : reporter_(reporter) {}

  void warn(const Error&) override {}
  void fail(const Error&) override {}
  void phase(std::string_view) override {}
  int stop_signal() const noexcept override { return reporter_.stop_signal(); }

 private:
  const base::Reporter& reporter_;
};

/// Those that the dataset was made with, and those that were added to it since.
dataset::Forms kinds_of(const dataset::DatasetRecords& records, bool is_thorough) {
  dataset::Forms kinds;
  const auto add = [&](const dataset::Forms& some) {
    for (const dataset::LoaderForm* const form : some) {
      if (!dataset::has(kinds, form->name) && (is_thorough || !form->copies_audio)) kinds.push_back(form);
    }
  };
  if (const auto asked = records.known({"index"})) add(asked->indexes);
  if (records.run) add(dataset::added_forms(*records.run));
  return kinds;
}

}  // namespace

void check_indexes(const dataset::DatasetRecords& records, bool is_thorough, pipeline::Workers& workers,
                   base::Reporter& reporter, FindingList& findings) {
  if (!records.shards || !records.checksums) return;
  const dataset::Forms kinds = kinds_of(records, is_thorough);
  if (kinds.empty()) return;
  SilentReporter silent(reporter);
  std::vector<manifest::Checksum> written;
  try {
    const ScratchFolder scratch;
    written = dataset::write_form_files(kinds, dataset::shards_below(records, records.list_root()),
                                        scratch.path(), workers, silent)
                  .files;
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    findings.note(at(records.folder),
                  fmt::format("its indexes could not be compared with the shards: {}", error.what()));
    return;
  }
  for (const manifest::Checksum& file : written) {
    const auto recorded = records.checksums->find(file.path);
    if (recorded == records.checksums->end() || recorded->second == file.sha256) continue;
    findings.add(at(records.path(file.path)),
                 fmt::format("does not fit the shards and manifests; 'shardmill index {} --index {}' "
                             "writes it again",
                             records.folder, dataset::names(kinds)));
  }
}

}  // namespace shardmill::check
