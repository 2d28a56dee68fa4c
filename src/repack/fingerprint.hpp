// Fingerprint: a text that tells two plans apart.
#pragma once

#include <optional>
#include <string>

#include "repack/plan.hpp"

namespace shardmill::repack {

/// Everything that the result depends on, one line each. A run does not go on with an unfinished run of
/// another text.
std::string fingerprint(const RepackPlan& plan);

/// The first thing in which two fingerprints differ, in words for people: "shards: was 32, now 16". nullopt
/// when a run that was begun with `old` may go on with `now`.
std::optional<std::string> difference(const std::string& old, const std::string& now);

}  // namespace shardmill::repack
