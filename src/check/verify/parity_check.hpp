// check_parity: checks whether the parity files of a dataset protect the files that its records name.
#pragma once

#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// Looks only at their headers, because their checksums are checked like those of any file. Throws
/// NewerFormat.
void check_parity(const dataset::DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::check
