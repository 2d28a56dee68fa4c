// form_files: writes and checks the files of forms for finished shards and datasets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/forms.hpp"
#include "dataset/records.hpp"

namespace shardmill::dataset {

/// Writes the files below `folder`, each whole and synced, several shards at a time. Throws Error for shards
/// that cannot have such a form.
WrittenIndexes write_form_files(const Forms& forms, const std::vector<ShardToIndex>& shards,
                                const std::string& folder, pipeline::Workers& workers,
                                base::Reporter& reporter);

/// The forms that the dataset was made with or got later, by all of its records that can be read.
Forms forms_of(const DatasetRecords& records);
/// The forms that were added to the finished dataset. None if run.json names one that is unknown.
Forms added_forms(const manifest::RunRecord& run);
/// True when SHA256SUMS has the sign of the form.
bool is_in(const LoaderForm& form, const DatasetRecords& records);

/// The place of the dataset by the first line of data.list; nullopt if that line does not name the first
/// shard. There must be shards. Throws Error when data.list cannot be read.
std::optional<std::string> root_in_list(const DatasetRecords& records);
/// All shards of the dataset, listed below `root`. The record of the shards must have been read.
std::vector<ShardToIndex> shards_below(const DatasetRecords& records, const std::string& root);

/// Compares the files that contain the place of the dataset, which have no checksums, with its records.
/// Compares nothing that needs a record which cannot be read.
void check_placed_files(const DatasetRecords& records, base::Reporter& reporter, FindingList& findings);
/// Writes these files for shards below `root`. Returns their names.
std::vector<std::string> write_placed_files(const DatasetRecords& records, const std::string& root,
                                            base::Reporter& reporter);
/// Those of them that go with the other files in `names`, for any place.
std::vector<std::string> placed_files_with(const std::string& folder, const std::vector<std::string>& names);

/// After a repair: gives files that must not be older than their data the current time.
void refresh_form_files(const DatasetRecords& records);

}  // namespace shardmill::dataset
