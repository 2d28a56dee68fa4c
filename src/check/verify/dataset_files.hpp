// DatasetFiles: the files of a dataset: which should exist, which exist, and which are checked; and the
// checks of its parity files, its indexes, its report and the signature of SHA256SUMS.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/verify/shard_check.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Reports that there is no finished dataset, and why, or that another one is being made in the same place.
void check_finished(const std::string& folder, FindingList& findings);

struct DatasetFiles {
  std::vector<ShardCase> shards;    // those that exist, in the order of their names
  std::vector<std::string> others;  // all others that have a checksum, as paths within the folder
  std::uint64_t bytes = 0;          // the size of all these files
};

/// A missing file, and one that does not belong to the dataset, is a finding. The result refers to `records`.
DatasetFiles find_files(const dataset::DatasetRecords& records, FindingList& findings);

/// Looks only at their headers, because their checksums are checked like those of any file. Throws
/// NewerFormat.
void check_parity(const dataset::DatasetRecords& records, FindingList& findings);

/// Writes the indexes again, in a scratch folder, and reports those that differ. Their checksums only
/// prove that they have not changed since SHA256SUMS was written. `is_thorough`: also those that hold copies
/// of the audio, which takes as much scratch space as they do. Only notes indexes that cannot be written
/// again, because shards or manifests are damaged: other checks report that.
void check_indexes(const dataset::DatasetRecords& records, bool is_thorough, pipeline::Workers& workers,
                   base::Reporter& reporter, FindingList& findings);

/// The signature is in SHA256SUMS.sig, as `ssh-keygen -Y sign -n file SHA256SUMS` writes it. A key of the
/// file `allowed_signers` must have made it: a note says whose. A missing or wrong signature is a finding.
/// Throws Error if ssh-keygen or `allowed_signers` cannot be used.
void check_signature(const dataset::DatasetRecords& records, const std::string& allowed_signers,
                     FindingList& findings);

}  // namespace shardmill::check
