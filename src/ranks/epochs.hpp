// epochs: the steps of each epoch of a job.
#pragma once

#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "ranks/steps.hpp"

namespace shardmill::ranks {

/// At least one, also where nothing is shuffled.
std::vector<deal::EpochSteps> steps_of_epochs(const StepsRequest& request, pipeline::Workers& workers,
                                              base::Reporter& reporter);

}  // namespace shardmill::ranks
