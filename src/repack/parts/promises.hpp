// What a table names and no archive held, where parts have read the archives.
#pragma once

#include <string>
#include <vector>

#include "manifest/reject.hpp"
#include "repack/part_plan.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// To be called when all parts were read.
std::vector<manifest::Reject> broken_promises_of_parts(const std::string& out_folder, const RepackPlan& whole,
                                                       const PartPlan& plan);

}  // namespace shardmill::repack
