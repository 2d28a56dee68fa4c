// check_parity: whether the parity files of a dataset protect what its records name.
#pragma once

#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// Looks at their headers; their bytes are checked like those of any file with a checksum. Throws
/// NewerFormat.
void check_parity(const dataset::DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::check
