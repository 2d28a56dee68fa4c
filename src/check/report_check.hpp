// check_report: whether the page beside a dataset is as shardmill report wrote it.
#pragma once

#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// A page that was changed is a finding; one of an earlier version, which has no checksum, a note. No page is
/// fine.
void check_report(const dataset::DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::check
