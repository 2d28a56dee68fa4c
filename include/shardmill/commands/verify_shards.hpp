// verify_shards: shards that anyone made, of which no records tell.
#pragma once

#include "shardmill/base/reporter.hpp"
#include "shardmill/commands/verify.hpp"
#include "shardmill/pipeline/workers.hpp"

namespace shardmill::commands {

/// Fills `summary` but for its findings.
void verify_shards(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                   FindingList& findings, VerifySummary& summary);

}  // namespace shardmill::commands
