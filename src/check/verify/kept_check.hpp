// KeptCheck: proves the files of a dataset by the checksums and tags that their server keeps, without reading
// them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/remote/object.hpp"
#include "base/reporter.hpp"
#include "check/verification.hpp"
#include "check/verify/shard_check.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// True for a dataset whose place keeps sums, or at least tags, of its files: a bucket.
bool has_kept_sums(const dataset::DatasetRecords& records);

/// Thread-safe.
class KeptCheck {
 public:
  KeptCheck(const dataset::DatasetRecords& records, pipeline::Workers& workers, base::Reporter& reporter,
            FindingList& findings);

  /// Any file but a shard. Reads it where the server keeps nothing that proves it, and where a checksum or a
  /// tag is not the recorded one.
  void check_file(const std::string& inner_path);
  /// Reads the manifest, and not the shard. Where the server keeps nothing that proves the shard, only its
  /// size is compared.
  ShardContents check_shard(ShardCase shard);
  /// True if the server keeps a checksum or a tag of the file that is the recorded one.
  bool proves(const std::string& inner_path) const;
  /// Call this at the end. Notes which files were not proven.
  KeptCounts counts() const;

 private:
  enum class Proof { sum, tag, none, other };

  Proof proof_of(const std::string& inner_path, const base::KeptSums& kept) const;
  bool settle(const std::string& inner_path, Proof proof);
  void count(std::uint64_t KeptCounts::*member);

  const dataset::DatasetRecords& records_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  FindingList& findings_;
  std::map<std::string, std::string> sums_;
  std::map<std::string, std::string> tags_;
  bool has_sent_checksums_ =
      false;  // SHA256SUMS is the one that was sent: else sums of other files prove less
  mutable std::mutex mutex_;
  KeptCounts counts_;
};

}  // namespace shardmill::check
