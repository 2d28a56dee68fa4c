// required_files: the files that a dataset must have by what its dataset.json says, whatever other records
// name.
#pragma once

#include <string>
#include <vector>

#include "dataset/index_files.hpp"
#include "manifest/dataset_record.hpp"

namespace shardmill::dataset {

/// The indexes that the dataset was asked to have. `shards` are the names of its shards.
std::vector<std::string> asked_index_files(const manifest::DatasetRecord& dataset,
                                           const std::vector<std::string>& shards);

/// The samples that wait, and their manifest; none when no sample waits.
std::vector<std::string> required_pending_files(const manifest::DatasetRecord& dataset);

/// All files that SHA256SUMS must list, with the indexes that were `added` to the dataset. Parity of what
/// waits is not among them, because updates of earlier versions made none.
std::vector<std::string> required_files(const manifest::DatasetRecord& dataset, const IndexKinds& added = {});

}  // namespace shardmill::dataset
