// nemo/input_cfg.yaml: says where the dataset lies, and so has no checksum. It is compared with data.list,
// and written anew when the dataset was moved.
#pragma once

#include <string>

#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::dataset {

/// True when SHA256SUMS says that the dataset has NeMo's files.
bool has_nemo_files(const DatasetRecords& records);

/// Nothing is compared where data.list cannot be read, which others report.
void check_nemo_input(const DatasetRecords& records, FindingList& findings);

/// Writes the file into the folder of the dataset.
void write_nemo_input(const DatasetRecords& records, const std::string& root);

}  // namespace shardmill::dataset
