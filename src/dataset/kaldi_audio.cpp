#include "dataset/kaldi_audio.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "dataset/index_files.hpp"
#include "dataset/indexes/kaldi_lists.hpp"
#include "dataset/indexes/listed_root.hpp"
#include "manifest/form_names.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

namespace {

std::vector<ShardToIndex> shards_below(const DatasetRecords& records, const std::string& root) {
  std::vector<ShardToIndex> shards;
  for (const manifest::ShardRecord& shard : *records.shards) {
    shards.push_back({.path = records.path(shard.path),
                      .name = shard.path,
                      .manifest = records.path(manifest::manifest_path(shard.shard_id)),
                      .listed = manifest::listed_path(root, shard.path)});
  }
  return shards;
}

/// The lines of the file beside the lines that it should have.
class AudioComparison {
 public:
  explicit AudioComparison(const std::string& path) : lines_(path) {}

  void compare(std::string_view wanted) {
    wanted.remove_suffix(1);
    std::string_view line;
    const bool is_same = lines_.next(line) && line == wanted && lines_.line_was_ended();
    ++wanted_lines_;
    if (!is_same && first_wrong_ == 0) first_wrong_ = wanted_lines_;
  }

  /// 0: none.
  std::uint64_t first_wrong() {
    std::string_view line;
    if (first_wrong_ == 0 && lines_.next(line)) first_wrong_ = wanted_lines_ + 1;
    return first_wrong_;
  }

 private:
  base::LineReader lines_;
  std::uint64_t wanted_lines_ = 0;
  std::uint64_t first_wrong_ = 0;
};

}  // namespace

bool has_kaldi_lists(const DatasetRecords& records) {
  return records.checksums && records.checksums->contains(std::string(manifest::kKaldiDurations));
}

void check_kaldi_audio(const DatasetRecords& records, base::Reporter& reporter, FindingList& findings) {
  if (!has_kaldi_lists(records) || !records.shards || records.shards->empty()) return;
  const std::string path = records.path(manifest::kKaldiAudio);
  if (!base::exists(path)) {
    findings.add_cause(at(path), "is missing");
    return;
  }
  try {
    const auto root = root_in_list(records);
    if (!root) return;
    AudioComparison comparison(path);
    for_each_kaldi_audio(shards_below(records, *root), reporter,
                         [&](std::string_view line) { comparison.compare(line); });
    if (const std::uint64_t line = comparison.first_wrong(); line != 0)
      findings.add_cause(at(path), fmt::format("line {} is not what the manifests and data.list say", line));
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    if (error.where().path == path) findings.add_cause(error);  // the others are those of other files
  }
}

void write_kaldi_audio(const DatasetRecords& records, const std::string& root, base::Reporter& reporter) {
  base::AtomicFile file(records.path(manifest::kKaldiAudio));
  for_each_kaldi_audio(shards_below(records, root), reporter,
                       [&](std::string_view line) { file.write(line); });
  file.commit();
}

}  // namespace shardmill::dataset
