// verify: proves that a dataset, or any shards, are complete, undamaged and as their records say.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

struct VerifyOptions {
  std::vector<std::string> targets;  // the folder of one dataset, or any shards
  bool decode = false;               // decode every audio completely
  std::vector<std::string> against;  // [NAME=]SOURCE: what the targets were made from
  std::string allowed_signers{};     // a file of OpenSSH; empty: signatures are not checked
  bool allow_commands = false;       // run commands that such a source names in place of audio files
};

/// Whether a missing or damaged file of a dataset can be made again.
struct Repairability {
  std::string from;  // "parity", "files" or "sources"; empty: it cannot
  std::string why;   // why it cannot
};

/// How the files of a dataset in a bucket were checked.
struct KeptCounts {
  std::uint64_t by_sum = 0;   // compared with checksums that the server keeps
  std::uint64_t by_tag = 0;   // its tags are those of the files that were sent
  std::uint64_t by_size = 0;  // only their sizes were compared
  std::uint64_t read = 0;     // and compared with their SHA-256
};

struct VerifySummary {
  bool is_dataset = false;
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;    // found in the targets, whole or not
  std::uint64_t with_text = 0;  // those of them that have a transcript
  double audio_seconds = 0;
  std::uint64_t doubtful_samples = 0;  // that may be wrong, as the dataset says; see DatasetRecord::Doubt
  std::uint64_t bytes = 0;             // of the files that were read
  std::uint64_t source_samples = 0;    // samples of the sources that were compared
  std::optional<KeptCounts> kept{};    // of a dataset in a bucket whose shards were not read
  std::vector<Finding> findings{};     // including notes
  /// By path, of all files that are missing or damaged.
  std::map<std::string, Repairability> repairs{};
  double seconds = 0;

  /// The names of shards that are missing or have findings.
  std::vector<std::string> bad_shards() const;
  std::uint64_t count(Finding::Severity severity) const;
};

/// True for a folder in which repack has begun or finished a dataset.
bool is_dataset_folder(const std::string& path);

/// Checks shards that anyone may have made, without any records. Fills all of `summary` except its findings.
void verify_shards(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                   FindingList& findings, VerifySummary& summary);

/// Checks everything: a problem becomes a finding and never ends the check of the rest. Throws UsageError for
/// invalid targets, and Interrupted.
VerifySummary run_verify(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::check
