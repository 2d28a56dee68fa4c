// A finished dataset, as every later run of the same command finds it: how much it left out, and whether that
// was more than allowed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "repack/options.hpp"

namespace shardmill::repack {

/// What there is to say of the dataset in `folder`, of which at most `max_rejects` samples may be left out
/// for an error. Throws Error when its records cannot be read.
RepackSummary summary_of_finished(const std::string& folder, std::uint64_t max_rejects);

/// Dates a dataset.json for make. One that left out too much is dated 1970, so that it is older than any
/// source and make runs the command again, which then fails again. One that is good and was dated so is dated
/// now.
void date_for_make(const std::string& dataset_path, bool too_many_rejects);

}  // namespace shardmill::repack
