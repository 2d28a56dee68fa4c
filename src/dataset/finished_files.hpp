// finished_files: the files that a finished dataset must have by its records, and whether they exist.
#pragma once

#include <string>
#include <vector>

#include "dataset/forms.hpp"
#include "manifest/dataset_record.hpp"

namespace shardmill::dataset {

/// Looks only at names and sizes. Throws Error that says how many files are missing or have another size than
/// their records say, and which.
void check_files_are_there(const std::string& folder);

/// The indexes that the dataset was asked to have. `shards` are the names of its shards.
std::vector<std::string> asked_index_files(const manifest::DatasetRecord& dataset,
                                           const std::vector<std::string>& shards);

/// The samples that wait, and their manifest; none when no sample waits.
std::vector<std::string> required_pending_files(const manifest::DatasetRecord& dataset);

/// All files that SHA256SUMS must list, with the indexes that were `added` to the dataset. The parity of
/// samples that wait is not among them.
std::vector<std::string> required_files(const manifest::DatasetRecord& dataset, const Forms& added = {});

}  // namespace shardmill::dataset
