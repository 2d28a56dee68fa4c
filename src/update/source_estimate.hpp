// source_estimate: about how much the sources of an update hold, without reading all of them.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "repack/plan.hpp"
#include "update/decision.hpp"

namespace shardmill::update {

/// Samples such as the sources may hold, with datasets by their places in `names`, from a look at the first
/// samples of some of the files. The same for the same sources.
Expected expected_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                     double bytes_a_second, base::Reporter& reporter);

}  // namespace shardmill::update
