#include "check/separate_splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/folder.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "manifest/split_record.hpp"
#include "pipeline/speaker.hpp"
#include "shard/key_set.hpp"

namespace shardmill::check {

namespace {

namespace fs = std::filesystem;

/// The folder that was split, of which this is a dataset; empty when there is none.
std::string root_of(const std::string& folder) {
  const fs::path path = base::canonical(folder);
  const auto names = manifest::split_names(path.parent_path().string());
  const bool is_one = std::find(names.begin(), names.end(), path.filename().string()) != names.end();
  return is_one ? path.parent_path().string() : std::string();
}

/// Looks for keys and speakers that several splits have.
class Separation {
 public:
  Separation(bool by_speaker, base::Reporter& reporter, FindingList& findings)
      : by_speaker_(by_speaker), reporter_(reporter), findings_(findings) {}

  /// What is added from here on belongs to this split.
  void begin(const std::string& folder) {
    folders_.push_back(folder);
    own_ = shard::KeySet();
  }

  /// A manifest of the split.
  void add(const std::string& path) {
    try {
      manifest::RecordReader reader(path);
      for (manifest::WholeSampleRecord record; reader.next(record);) {
        reporter_.check_stop();
        add(path, record);
      }
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error&) {
      // A file that is missing or damaged was reported already.
    }
  }

 private:
  void add(const std::string& path, const manifest::WholeSampleRecord& record) {
    if (own_.insert(record.key) && !keys_.insert(record.key))
      findings_.add({.path = path, .member = record.key}, "another split has a sample of this key, too");
    if (!by_speaker_) return;
    const std::size_t split = folders_.size() - 1;
    const std::string speaker = pipeline::speaker_in(record.facts);
    const auto [known, is_new] =
        speakers_.try_emplace(base::xxh3_128(base::as_bytes(record.dataset + '\n' + speaker)), split);
    if (is_new || known->second == split) return;
    findings_.add({.path = path, .member = record.key},
                  fmt::format("its speaker {} of {} is in {}, too", printable(speaker),
                              printable(record.dataset), folders_[known->second]));
  }

  const bool by_speaker_;
  base::Reporter& reporter_;
  FindingList& findings_;
  std::vector<std::string> folders_;
  shard::KeySet own_;                             // of the split
  shard::KeySet keys_;                            // of all
  std::map<base::Xxh128, std::size_t> speakers_;  // and the split of each
};

/// Throws UsageError for a folder of datasets of which nothing says whether they belong together. Their
/// shards would be taken for shards of nobody.
void check_not_folder_of_datasets(const std::string& folder) {
  if (!base::is_folder(folder) || base::may_exist(folder + "/" + std::string(manifest::kDataset))) return;
  std::vector<std::string> datasets;
  for (const fs::path& entry : base::entries(folder)) {
    if (base::is_folder(entry.string()) && base::may_exist((entry / manifest::kDataset).string()))
      datasets.push_back(entry.string());
  }
  if (datasets.empty()) return;
  throw UsageError(
      fmt::format("holds datasets, and no {} that says that they are one split", manifest::kSplit),
      at(folder),
      fmt::format("verify them one by one, or put {} back where it was lost: {}", manifest::kSplit,
                  fmt::join(datasets, " ")));
}

}  // namespace

std::vector<std::string> datasets_of(const std::vector<std::string>& targets) {
  std::vector<std::string> folders;
  for (const std::string& target : targets) {
    const std::string record = target + "/" + std::string(manifest::kSplit);
    if (!base::is_folder(target) || !base::may_exist(record)) {
      check_not_folder_of_datasets(target);
      folders.push_back(target);
      continue;
    }
    for (const manifest::SplitRecord::Part& part : manifest::read_split_record(record).parts)
      folders.push_back(fs::path(target) / part.name);
  }
  return folders;
}

void check_belong_together(const std::vector<std::string>& folders, bool compares) {
  const std::string root = root_of(folders.front());
  std::set<std::string> given;
  for (const std::string& folder : folders) {
    const bool is_together = !root.empty() && root_of(folder) == root;
    if (folders.size() > 1 && !is_together)
      throw UsageError(
          "takes one dataset at a time, or all that one split has made, or any number of shards");
    given.insert(base::canonical(folder));
  }
  if (root.empty() || !compares) return;
  if (given.size() == manifest::split_names(root).size()) return;
  throw UsageError("a split has only a part of the samples of its sources", at(folders.front()),
                   "compare all of them together, as " + root);
}

void check_separate(const std::vector<std::string>& folders, base::Reporter& reporter,
                    FindingList& findings) {
  const std::string root = root_of(folders.front());
  const bool by_speaker =
      !root.empty() &&
      manifest::read_split_record(root + "/" + std::string(manifest::kSplit)).by == "speaker";
  Separation separation(by_speaker, reporter, findings);
  for (const std::string& folder : folders) {
    separation.begin(folder);
    separation.add(folder + "/" + std::string(manifest::kAllSamples));
    const std::string waiting = folder + "/" + std::string(manifest::kPendingManifest);
    if (base::exists(waiting)) separation.add(waiting);
  }
}

}  // namespace shardmill::check
