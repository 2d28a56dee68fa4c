#include "check/separate_splits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "check/verification.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/run_record.hpp"
#include "manifest/sample_record.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::check {

namespace {

namespace fs = std::filesystem;

/// The folder of the split that this dataset belongs to; empty if it belongs to none.
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
    const std::string speaker = shard::speaker_in(record.facts);
    if (speaker.empty()) {
      findings_.add(
          {.path = path, .member = record.key},
          fmt::format("its speaker {}, so it is unknown whether another split has that speaker, too",
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
  const std::string record = base::inside(target, manifest::kSplit);
  return base::is_folder(target) && base::may_exist(record) ? record : std::string();
}

/// Throws UsageError for a folder that holds datasets and no split.json. Nothing says whether they belong
/// together, and their shards would be checked as if no dataset named them.
void check_not_folder_of_datasets(const std::string& folder) {
  if (!base::is_folder(folder) || base::may_exist(base::inside(folder, manifest::kDataset))) return;
  std::vector<std::string> datasets;
  for (const fs::path& entry : base::entries(folder)) {
    if (base::is_folder(entry.string()) && base::may_exist((entry / manifest::kDataset).string()))
      datasets.push_back(entry.string());
  }
  if (datasets.empty()) return;
  throw UsageError(fmt::format("has datasets, but no {} that makes them one split", manifest::kSplit),
                   at(folder),
                   fmt::format("verify them one by one, or put {} back where it was lost: {}",
                               manifest::kSplit, fmt::join(datasets, " ")));
}

}  // namespace

std::vector<std::string> manifests_of(const std::string& folder) {
  std::vector<std::string> paths{base::inside(folder, manifest::kAllSamples)};
  const std::string waiting = base::inside(folder, manifest::kPendingManifest);
  if (base::exists(waiting)) paths.push_back(waiting);
  return paths;
}

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

namespace {

/// A dataset that split.json does not name would be used, and never checked with the others.
void check_no_other_dataset(const std::string& root, const std::string& record, FindingList& findings) {
  const auto names = manifest::split_names(root);
  for (const fs::path& entry : base::entries(root)) {
    const std::string name = entry.filename().string();
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (base::is_folder(entry.string()) && base::may_exist((entry / manifest::kDataset).string()))
      findings.add(at(record), fmt::format("does not name {}, which is a dataset beside those of the split",
                                           printable(name)));
  }
}

}  // namespace

void check_split_record(const std::vector<std::string>& folders, FindingList& findings) {
  const std::string root = root_of(folders.front());
  if (root.empty()) return;
  // As the user called it.
  const std::string path = (fs::path(folders.front()).parent_path() / manifest::kSplit).string();
  check_no_other_dataset(root, path, findings);
  for (const auto& part : manifest::read_split_record(path).parts) {
    manifest::DatasetRecord dataset;
    try {
      dataset =
          manifest::read_dataset_record(base::inside(base::inside(root, part.name), manifest::kDataset));
    } catch (const Error&) {
      continue;  // This was reported already.
    }
    const bool has_counts = dataset.shards == part.shards && dataset.samples == part.samples;
    constexpr double kSameSeconds = 0.001;
    if (has_counts && std::abs(dataset.seconds - part.seconds) < kSameSeconds) continue;
    const std::string what =
        has_counts
            ? fmt::format("{} has {:.3f} s of audio now, and had {:.3f} s when the split was made", part.name,
                          dataset.seconds, part.seconds)
            : fmt::format(
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
      throw Error(error.problem() + ", so it is unknown which speakers must stay out of " + folder,
                  at(record),
                  "nothing was changed; restore the file, or move it elsewhere if it is not about a split");
    }
  }
  return root_of(folder);
}

namespace {

/// The manifests of a dataset of the split. All must be there: a sample that they do not name could be in
/// two datasets.
std::vector<std::string> manifests_to_read(const std::string& folder) {
  const std::string record = base::inside(folder, manifest::kDataset);
  if (!base::may_exist(record)) {
    throw Error(fmt::format("is a dataset of the same split and has no {}, so its samples are not known",
                            manifest::kDataset),
                at(folder), "nothing was changed; finish or restore that dataset, then update this one");
  }
  std::vector<std::string> paths{base::inside(folder, manifest::kAllSamples)};
  if (manifest::read_dataset_record(record).pending)
    paths.push_back(base::inside(folder, manifest::kPendingManifest));
  return paths;
}

}  // namespace

base::Xxh128 hash_of_speaker(const std::string& dataset, const std::string& speaker) {
  return base::xxh3_128(base::as_bytes(dataset + '\n' + speaker));
}

bool is_by_speaker(const std::string& root) {
  return manifest::read_split_record(base::inside(root, manifest::kSplit)).by == "speaker";
}

std::vector<std::string> siblings_of(const std::string& folder) {
  const std::string root = split_root_of(folder);
  if (root.empty()) return {};
  const std::string own = fs::path(base::canonical(folder)).filename().string();
  std::vector<std::string> siblings;
  for (const std::string& name : manifest::split_names(root)) {
    if (name != own) siblings.push_back(base::inside(root, name));
  }
  return siblings;
}

SplitSiblings::SplitSiblings(const std::vector<std::string>& siblings, base::Reporter& reporter)
    : by_speaker_(is_by_speaker(fs::path(siblings.front()).parent_path())) {
  for (const std::string& folder : siblings) {
    names_.push_back(fs::path(folder).filename());
    for (const std::string& path : manifests_to_read(folder)) add(path, reporter);
  }
}

std::optional<SplitSiblings> SplitSiblings::of(const std::string& folder, base::Reporter& reporter) {
  const std::vector<std::string> siblings = siblings_of(folder);
  if (siblings.empty()) return std::nullopt;
  return SplitSiblings(siblings, reporter);
}

void SplitSiblings::add(const std::string& path, base::Reporter& reporter) {
  manifest::RecordReader reader(path);
  for (manifest::WholeSampleRecord record; reader.next(record);) {
    reporter.check_stop();
    keys_.insert(record.key);
    if (by_speaker_)
      speakers_.emplace(hash_of_speaker(record.dataset, shard::speaker_in(record.facts)), names_.size() - 1);
  }
}

void SplitSiblings::check(const manifest::SampleRecord& record) const {
  const Where where{.path = record.source, .member = record.source_key};
  constexpr std::string_view kAdvice =
      "nothing was changed; leave such samples out of the addition, or add all of them there";
  if (keys_.contains(record.key))
    throw Error(fmt::format("{} has a sample of this key, too", fmt::join(names_, " or ")), where,
                std::string(kAdvice));
  if (!by_speaker_) return;
  const std::string speaker = shard::speaker_in(record.facts);
  if (speaker.empty()) {
    throw Error(fmt::format("its speaker {}, and no speaker may be in two datasets of the split",
                            shard::why_no_speaker(record.facts)),
                where, "nothing was changed");
  }
  const auto known = speakers_.find(hash_of_speaker(record.dataset, speaker));
  if (known == speakers_.end()) return;
  throw Error(
      fmt::format("its speaker {} of {} is in {}, too, and no speaker may be in two datasets of the split",
                  printable(speaker), printable(record.dataset), names_[known->second]),
      where, std::string(kAdvice));
}

void SplitSiblings::check(const std::vector<std::string>& manifests, base::Reporter& reporter) const {
  for (const std::string& path : manifests) {
    manifest::RecordReader reader(path);
    for (manifest::WholeSampleRecord record; reader.next(record);) {
      reporter.check_stop();
      check(record);
    }
  }
}

}  // namespace shardmill::check
