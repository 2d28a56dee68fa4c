// separate_splits: makes sure that datasets that were split have no sample and no speaker in common.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// The datasets in the folders of a split: `targets` with each folder that was split replaced by these.
std::vector<std::string> datasets_of(const std::vector<std::string>& targets);

/// A dataset that a split.json in `targets` names and that is not there is a finding, and is taken out of
/// `folders`. Returns whether there was one.
bool leave_out_missing(const std::vector<std::string>& targets, std::vector<std::string>& folders,
                       FindingList& findings);

/// Throws UsageError where several datasets cannot be checked together, or where one of several is to be
/// compared with sources of which it has only a part.
/// `folders`: at least one.
void check_belong_together(const std::vector<std::string>& folders, bool compares);

/// Reads all manifests. A key in two datasets is a finding, and a speaker, where they were split by speaker.
void check_separate(const std::vector<std::string>& folders, base::Reporter& reporter, FindingList& findings);

/// Compares split.json, which tells how the split was made, with what its datasets are now. What an update
/// has changed is a note, anything else a finding.
void check_split_record(const std::vector<std::string>& folders, FindingList& findings);

/// The folder that was split, of which the dataset in `folder` is one; empty when it is none. Throws Error
/// for a split.json beside it that cannot be read: nobody knows then what the dataset must be separate from.
std::string split_root_of(const std::string& folder);

}  // namespace shardmill::check
