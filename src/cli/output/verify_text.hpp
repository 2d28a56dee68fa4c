// Writes what verify found for people: first the damaged files, then all other findings, by file.
#pragma once

#include <string>
#include <vector>

#include "check/verification.hpp"

namespace shardmill::cli {

/// `all`: show every finding, however many there are.
std::string verify_text(const check::VerifySummary& summary, bool all);

/// One line without a line end: what was checked, how long it took, and whether it is good.
std::string verify_verdict(const check::VerifySummary& summary, const std::vector<std::string>& targets);

}  // namespace shardmill::cli
