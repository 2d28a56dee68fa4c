// What `shardmill inspect --duplicates` says.
#pragma once

#include <string>

#include "check/duplicates.hpp"

namespace shardmill::cli {

std::string duplicates_as_text(const check::DuplicateSummary& summary);
/// All groups, with all of their samples.
std::string duplicates_as_json(const check::DuplicateSummary& summary);

}  // namespace shardmill::cli
