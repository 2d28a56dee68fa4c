// verify_dataset: compares everything in the folder of a finished dataset with everything else in it.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/verification.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Fills all of `summary` except its findings.
void verify_dataset(const std::string& folder, const VerifyOptions& options, pipeline::Workers& workers,
                    base::Reporter& reporter, FindingList& findings, VerifySummary& summary);

/// The same for several, which were made of the same sources together: every sample of these must be in
/// exactly one of them.
void verify_datasets(const std::vector<std::string>& folders, const VerifyOptions& options,
                     pipeline::Workers& workers, base::Reporter& reporter, FindingList& findings,
                     VerifySummary& summary);

}  // namespace shardmill::check
