// Compares the indexes of a dataset with its shards and manifests.
#pragma once

#include "base/reporter.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Writes the indexes again, in a scratch folder, and reports those that differ. Their checksums only
/// prove that they have not changed since SHA256SUMS was written. `is_thorough`: also those that hold copies
/// of the audio, which takes as much scratch space as they do. Only notes indexes that cannot be written
/// again, because shards or manifests are damaged: other checks report that.
void check_indexes(const dataset::DatasetRecords& records, bool is_thorough, pipeline::Workers& workers,
                   base::Reporter& reporter, FindingList& findings);

}  // namespace shardmill::check
