// OldRejects: rejects.jsonl of the dataset before an update, in which the samples that the update takes back
// are no longer listed as removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "update/request.hpp"
#include "update/staging.hpp"

namespace shardmill::update {

struct OldRejects {
  std::string text;              // of the file
  std::uint64_t taken_back = 0;  // lines whose reason was `removed` and is `duplicate_key` now
};

/// Reads rejects.jsonl of the dataset. A sample that is taken back was read more often than the dataset has
/// it: so its lines stay, with the reason that samples have which are read again.
OldRejects read_old_rejects(const Request& request, const std::optional<Staged>& staged);

}  // namespace shardmill::update
