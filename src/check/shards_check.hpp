// verify_shards: checks shards that anyone may have made, without any records.
#pragma once

#include "base/reporter.hpp"
#include "check/verification.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Fills all of `summary` except its findings.
void verify_shards(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                   FindingList& findings, VerifySummary& summary);

}  // namespace shardmill::check
