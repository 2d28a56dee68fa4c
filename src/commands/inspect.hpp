// inspect: what sources contain, and what will go wrong with them in training.
#pragma once

#include "base/reporter.hpp"
#include "check/duplicates.hpp"
#include "check/inspection.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::commands {

/// A bad file becomes part of the result, and the rest is still inspected. Throws UsageError, and Error for a
/// source that does not exist.
check::InspectSummary run_inspect(const check::InspectOptions& options, pipeline::Workers& workers,
                                  base::Reporter& reporter);

/// Finds samples that come more than once. Throws like run_inspect().
check::DuplicateSummary run_inspect_duplicates(const check::DuplicateOptions& options,
                                               pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::commands
