// A dataset in a bucket: it is made in a work folder of this machine, and then moved there file by file.
#pragma once

#include <functional>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// Finds or makes the dataset of a plan in the folder of this machine that the options name.
using MakeDataset = std::function<RepackSummary(const RepackOptions& options, const RepackPlan& plan)>;

/// A run whose out_folder is an address. Whatever was interrupted goes on, as on a disk: the work folder
/// holds the dataset and the journal of what was sent. Throws UsageError for what cannot be done in a bucket.
RepackSummary run_in_bucket(const RepackOptions& options, const MakeDataset& make, pipeline::Workers& workers,
                            base::Reporter& reporter);

}  // namespace shardmill::repack
