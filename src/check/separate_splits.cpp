#include "check/separate_splits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "check/split_siblings.hpp"
#include "check/verification.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "manifest/split_record.hpp"
#include "shard/key_set.hpp"
#include "shard/sample_text.hpp"

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

/// Where the samples of a dataset stand, those that wait too.
std::vector<std::string> manifests_of(const std::string& folder) {
  std::vector<std::string> paths{folder + "/" + std::string(manifest::kAllSamples)};
  const std::string waiting = folder + "/" + std::string(manifest::kPendingManifest);
  if (base::exists(waiting)) paths.push_back(waiting);
  return paths;
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
    const std::string speaker = shard::speaker_in(record.facts);
    if (speaker.empty()) {
      findings_.add({.path = path, .member = record.key},
                    fmt::format("its speaker {}, so nobody knows whether another split has that speaker, too",
                                shard::why_no_speaker(record.facts)));
      return;
    }
    const auto [known, is_new] = speakers_.try_emplace(hash_of_speaker(record.dataset, speaker), split);
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

/// Empty where `target` was not split.
std::string split_record_in(const std::string& target) {
  const std::string record = target + "/" + std::string(manifest::kSplit);
  return base::is_folder(target) && base::may_exist(record) ? record : std::string();
}

/// Throws UsageError for a folder that holds datasets and no split.json. Nothing says whether they belong
/// together, and their shards would be checked as if no dataset named them.
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
    const std::string record = split_record_in(target);
    if (record.empty()) {
      check_not_folder_of_datasets(target);
      folders.push_back(target);
      continue;
    }
    for (const manifest::SplitRecord::Part& part : manifest::read_split_record(record).parts)
      folders.push_back(fs::path(target) / part.name);
  }
  return folders;
}

bool leave_out_missing(const std::vector<std::string>& targets, std::vector<std::string>& folders,
                       FindingList& findings) {
  bool is_any_missing = false;
  for (const std::string& target : targets) {
    const std::string record = split_record_in(target);
    if (record.empty()) continue;
    for (const manifest::SplitRecord::Part& part : manifest::read_split_record(record).parts) {
      const std::string folder = fs::path(target) / part.name;
      if (is_dataset_folder(folder)) continue;
      is_any_missing = true;
      std::erase(folders, folder);
      findings.add(at(folder),
                   fmt::format("the dataset {} of the split is missing, which had {} in {}; restore "
                               "it, or make the split again",
                               part.name, base::format_count(part.samples, "sample"),
                               base::format_count(part.shards, "shard")));
    }
  }
  return is_any_missing;
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
  Separation separation(!root.empty() && is_by_speaker(root), reporter, findings);
  for (const std::string& folder : folders) {
    separation.begin(folder);
    for (const std::string& path : manifests_of(folder)) separation.add(path);
  }
}

void check_split_record(const std::vector<std::string>& folders, FindingList& findings) {
  const std::string root = root_of(folders.front());
  if (root.empty()) return;
  // As the user called it.
  const std::string path = (fs::path(folders.front()).parent_path() / manifest::kSplit).string();
  for (const auto& part : manifest::read_split_record(path).parts) {
    manifest::DatasetRecord dataset;
    try {
      dataset = manifest::read_dataset_record(root + "/" + part.name + "/" + std::string(manifest::kDataset));
    } catch (const Error&) {
      continue;  // This was reported already.
    }
    if (dataset.shards == part.shards && dataset.samples == part.samples) continue;
    const std::string what = fmt::format(
        "{} has {} in {} now, and had {} in {} when the split was made", part.name,
        base::format_count(dataset.samples, "sample"), base::format_count(dataset.shards, "shard"),
        base::format_count(part.samples, "sample"), base::format_count(part.shards, "shard"));
    if (dataset.updates.empty()) {
      findings.add(at(path), what + ", and nothing has updated it");
    } else {
      findings.note(at(path), what);
    }
  }
}

std::string split_root_of(const std::string& folder) {
  const std::string record = (fs::path(base::canonical(folder)).parent_path() / manifest::kSplit).string();
  if (base::may_exist(record) && !manifest::is_other_json(record)) {
    try {
      manifest::read_split_record(record);
    } catch (const Error& error) {
      throw Error(error.problem() + ", so nobody knows which speakers must stay out of " + folder, at(record),
                  "nothing was changed; restore the file, or move it elsewhere if it tells of no split");
    }
  }
  return root_of(folder);
}

}  // namespace shardmill::check
