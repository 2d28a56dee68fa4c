// verify_shards: shards that anyone made, of which no records tell.
#pragma once

#include "base/reporter.hpp"
#include "check/verification.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Fills `summary` but for its findings.
void verify_shards(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                   FindingList& findings, VerifySummary& summary);

}  // namespace shardmill::check
