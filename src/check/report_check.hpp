// check_report: checks that the report page in a dataset is as shardmill report wrote it.
#pragma once

#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// A page that was changed is a finding. A page of an earlier version has no checksum, which is a note. No
/// page is fine.
void check_report(const dataset::DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::check
