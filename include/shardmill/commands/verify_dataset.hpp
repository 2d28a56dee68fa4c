// verify_dataset: everything in the folder of a finished dataset, against everything else in it.
#pragma once

#include "shardmill/base/reporter.hpp"
#include "shardmill/commands/verify.hpp"
#include "shardmill/pipeline/workers.hpp"

namespace shardmill::commands {

/// Fills `summary` but for its findings.
void verify_dataset(const std::string& folder, const VerifyOptions& options, pipeline::Workers& workers,
                    base::Reporter& reporter, FindingList& findings, VerifySummary& summary);

}  // namespace shardmill::commands
