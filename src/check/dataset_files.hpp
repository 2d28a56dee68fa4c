// DatasetFiles: the files of a dataset's folder: what should be there, what is, and what is to be checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/shard_check.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

struct DatasetFiles {
  std::vector<ShardCase> shards;    // that are there, in the order of their names
  std::vector<std::string> others;  // further files with a checksum, by path within the folder
  std::uint64_t bytes = 0;          // of all these
};

/// What is missing, or there without belonging to the dataset, is a finding. The result refers to `records`.
DatasetFiles find_files(const dataset::DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::check
