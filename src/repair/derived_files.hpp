// derived_files: makes those files of a dataset again that follow from its other files.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/repair_plan.hpp"
#include "manifest/path_lists.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::repair {

/// Writes `file` of the dataset in `folder` into the folder `stage`, under its name and synced, maybe with
/// others that belong to it; returns the files that it has written. The files that it reads must be whole.
std::vector<manifest::Checksum> make_derived(const std::string& file, const check::RepairFacts& facts,
                                             const std::string& folder, const std::string& stage,
                                             pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::repair
