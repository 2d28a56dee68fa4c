// verify: proves that a dataset, or any shards, are complete, undamaged and as their records say.
#pragma once

#include "base/reporter.hpp"
#include "check/verification.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::commands {

/// Checks everything: a problem becomes a finding and never ends the check of the rest. Throws UsageError for
/// invalid targets, and Interrupted.
check::VerifySummary run_verify(const check::VerifyOptions& options, pipeline::Workers& workers,
                                base::Reporter& reporter);

}  // namespace shardmill::commands
