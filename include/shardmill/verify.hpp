// verify: proves that a dataset, or any shards, are complete, undamaged and as their records say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardmill/observer.hpp"

namespace shardmill {

struct VerifyOptions {
  std::vector<std::string> targets;    // the folder of one dataset, or shards
  bool decode = false;                 // decode all audio in full
  std::vector<std::string> against{};  // [NAME=]SOURCE: every sample of these is there exactly once
  bool allow_commands = false;         // run commands that such a source names in place of audio files
  Limits limits{};
};

/// Something that is wrong with data, or worth knowing about it.
struct VerifyFinding {
  bool is_damage = true;  // false: a note; nothing is wrong
  Where where;
  std::string what;  // one clause
};

struct VerifySummary {
  bool good = false;  // nothing is damaged, missing or different
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::vector<VerifyFinding> findings;
};

/// Checks everything. A problem becomes a finding and does not end the check of the rest. Throws UsageError
/// for invalid targets.
VerifySummary run_verify(const VerifyOptions& options, Observer& observer);

}  // namespace shardmill
