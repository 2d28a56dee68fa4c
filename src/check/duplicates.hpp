// Duplicates: finds the same audio under several keys, and the same words of the same speaker, within sources
// or between sources and a test set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"

namespace shardmill::check {

struct DuplicateOptions {
  std::vector<std::string> sources;
  std::vector<std::string> against;  // if given, only samples that they share with `sources` count
  shard::KeyRule key_rule = shard::KeyRule::wenet;
  bool allow_commands = false;
};

/// At least two samples that have something in common.
struct DuplicateGroup {
  struct Sample {
    std::string dataset;
    std::string source;  // the file
    std::string key;
    bool is_against = false;
  };
  std::vector<Sample> samples;  // in the order of the sources
  bool same_bytes = false;      // the audio has the same bytes, not only the same sound
  std::string text{};           // the common transcript, if they share one
  std::string speaker{};        // and its speaker
};

struct DuplicateSummary {
  std::uint64_t samples = 0;            // in the sources
  std::uint64_t against_samples = 0;    // in the sources of the comparison
  std::uint64_t undecodable = 0;        // samples whose audio could only be compared byte for byte
  std::uint64_t without_speaker = 0;    // samples whose transcript could not be compared
  std::vector<DuplicateGroup> audio{};  // the same sound
  std::vector<DuplicateGroup> texts{};  // the same transcript by the same speaker, other audio
  std::vector<Error> unusable{};        // what could not be read
  double seconds = 0;
};

/// Reads and decodes everything. Throws UsageError, and Error for a source that does not exist.
DuplicateSummary find_duplicates(const DuplicateOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter);

}  // namespace shardmill::check
