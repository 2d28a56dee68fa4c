#include "check/verify/index_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/index_files.hpp"
#include "manifest/index_kind.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::check {

namespace {

using manifest::IndexKind;

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

bool copies_audio(IndexKind kind) {
  return kind == IndexKind::shar || kind == IndexKind::mds || kind == IndexKind::parquet;
}

/// Those that the dataset was made with, and those that were added to it since.
dataset::IndexKinds kinds_of(const dataset::DatasetRecords& records, bool is_thorough) {
  dataset::IndexKinds kinds;
  const auto add = [&](const dataset::IndexKinds& some) {
    for (const IndexKind kind : some) {
      if (!dataset::has(kinds, kind) && (is_thorough || !copies_audio(kind))) kinds.push_back(kind);
    }
  };
  if (const auto asked = records.known({"index"})) add(asked->indexes);
  if (records.run) add(records.run->indexes);
  return kinds;
}

std::vector<dataset::ShardToIndex> shards_of(const dataset::DatasetRecords& records) {
  const std::string root = records.list_root();
  std::vector<dataset::ShardToIndex> shards;
  for (const manifest::ShardRecord& shard : *records.shards) {
    shards.push_back({.path = records.path(shard.path),
                      .name = shard.path,
                      .manifest = records.path(manifest::manifest_path(shard.shard_id)),
                      .listed = manifest::listed_path(root, shard.path),
                      .sha256 = shard.sha256});
  }
  return shards;
}

}  // namespace

void check_indexes(const dataset::DatasetRecords& records, bool is_thorough, pipeline::Workers& workers,
                   base::Reporter& reporter, FindingList& findings) {
  if (!records.shards || !records.checksums) return;
  const dataset::IndexKinds kinds = kinds_of(records, is_thorough);
  if (kinds.empty()) return;
  SilentReporter silent(reporter);
  std::vector<manifest::Checksum> written;
  try {
    const ScratchFolder scratch;
    written = dataset::write_index_files(kinds, shards_of(records), scratch.path(), workers, silent).files;
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
                             records.folder, manifest::names(kinds)));
  }
}

}  // namespace shardmill::check
