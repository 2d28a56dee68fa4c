// separate_splits: makes sure that datasets that were split have no sample and no speaker in common.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/reporter.hpp"
#include "manifest/sample_record.hpp"
#include "model/finding.hpp"
#include "shard/keys.hpp"

namespace shardmill::check {

/// The datasets in the folders of a split: `targets` with each folder that was split replaced by these.
std::vector<std::string> datasets_of(const std::vector<std::string>& targets);

/// A dataset that a split.json in `targets` names and that is not there is a finding, and is taken out of
/// `folders`. Returns whether there was one.
bool leave_out_missing(const std::vector<std::string>& targets, std::vector<std::string>& folders,
                       FindingList& findings);

/// Throws UsageError if several datasets cannot be checked together, or if one of several is to be compared
/// with sources that it has only a part of. `folders`: at least one.
void check_belong_together(const std::vector<std::string>& folders, bool compares);

/// Reads all manifests. A key in two datasets is a finding, and a speaker, where they were split by speaker.
void check_separate(const std::vector<std::string>& folders, base::Reporter& reporter, FindingList& findings);

/// Compares split.json, which records how the split was made, with its datasets as they are now. A change by
/// an update is a note, any other difference a finding.
void check_split_record(const std::vector<std::string>& folders, FindingList& findings);

/// The folder of the split that the dataset in `folder` belongs to; empty if it belongs to none. Throws Error
/// for a split.json beside it that cannot be read: then it is unknown which datasets must be separate from
/// this one.
std::string split_root_of(const std::string& folder);

/// The folders of the other datasets of its split.
std::vector<std::string> siblings_of(const std::string& folder);

/// Where the samples of a dataset stand, those that wait too.
std::vector<std::string> manifests_of(const std::string& folder);

/// The speaker of a dataset: the same name in another dataset is another speaker.
base::Xxh128 hash_of_speaker(const std::string& dataset, const std::string& speaker);
/// True when the folder `root` was split by speaker.
bool is_by_speaker(const std::string& root);

class SplitSiblings {
 public:
  /// nullopt if the dataset in `folder` belongs to no split. Throws Error when another dataset of the split
  /// is not whole, or its split.json cannot be read.
  static std::optional<SplitSiblings> of(const std::string& folder, base::Reporter& reporter);

  /// Throws Error when another dataset has its key or its speaker, or when its speaker is not known and has
  /// to be.
  void check(const manifest::SampleRecord& record) const;
  /// The same for all samples of some manifests.
  void check(const std::vector<std::string>& manifests, base::Reporter& reporter) const;

 private:
  SplitSiblings(const std::vector<std::string>& siblings, base::Reporter& reporter);
  void add(const std::string& path, base::Reporter& reporter);

  bool by_speaker_;
  std::vector<std::string> names_;
  shard::KeySet keys_;
  std::map<base::Xxh128, std::size_t> speakers_;  // and the dataset of each
};

}  // namespace shardmill::check
