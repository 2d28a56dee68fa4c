// check_report: whether the page beside a dataset is as shardmill report wrote it.
#pragma once

#include "shardmill/commands/dataset_records.hpp"
#include "shardmill/commands/finding.hpp"

namespace shardmill::commands {

/// A page that was changed is a finding; one of an earlier version, which has no checksum, a note. No page is
/// fine.
void check_report(const DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::commands
