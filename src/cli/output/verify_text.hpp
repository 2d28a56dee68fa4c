// The result of `shardmill verify` for people: first the damaged files, then all other findings, by file.
#pragma once

#include <string>
#include <vector>

#include "check/verification.hpp"

namespace shardmill::cli {

/// `all`: shows every finding, not only the first ones.
std::string verify_text(const check::VerifySummary& summary, bool all);

/// One line without a line end: the checked amount, the time, and the verdict.
std::string verify_verdict(const check::VerifySummary& summary, const std::vector<std::string>& targets);

}  // namespace shardmill::cli
