// check_shard: compares one shard of a dataset and its manifest with everything that the records say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// A shard and what belongs to it. Paths are relative to the dataset's folder.
struct ShardCase {
  std::uint64_t shard_id = 0;
  std::string shard;
  std::string manifest{};
  const manifest::ShardRecord* record = nullptr;  // none: not known
  std::optional<std::uint64_t> manifest_begin{};  // place in the file of all samples; none: do not compare
};

struct ShardCheckOptions {
  bool decode = false;
  bool reads_tar = true;                // false: only the manifest
  bool is_proven = false;               // its bytes are the recorded ones: they need not be read to be hashed
  MemberCheck::SampleSink on_sample{};  // may be empty
};

/// Compares a file's SHA-256 with SHA256SUMS, or else with `fallback`, if either is known.
void check_checksum(const dataset::DatasetRecords& records, const std::string& inner_path,
                    const std::string& sha256, const std::string& fallback, FindingList& findings);

/// Hashes a file and compares its checksum. Thread-safe.
void check_file(const dataset::DatasetRecords& records, const std::string& inner_path,
                base::Reporter& reporter, FindingList& findings);

/// Both files must exist. Without its tar, the contents are those that the manifest lists. Damage is a
/// finding. Thread-safe.
ShardContents check_shard(const ShardCase& shard, const dataset::DatasetRecords& records,
                          const ShardCheckOptions& options, pipeline::Workers& workers,
                          base::Reporter& reporter, FindingList& findings);

}  // namespace shardmill::check
