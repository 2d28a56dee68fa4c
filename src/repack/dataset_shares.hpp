// How much of each dataset is taken where amounts or a temperature are asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/recipe.hpp"
#include "pipeline/mill.hpp"

namespace shardmill::repack {

/// About how much audio each dataset holds: as the records of finished datasets say, or from a look at the
/// sources. `inputs`: without weights.
std::vector<double> seconds_of_datasets(const pipeline::Inputs& inputs, const pipeline::IntakeOptions& intake,
                                        base::Reporter& reporter);

/// The weights of all datasets. Throws UsageError for names that are none, and Error for amounts that cannot
/// be reached.
std::map<std::string, double> settle_shares(const dataset::Recipe& recipe, const pipeline::Inputs& inputs,
                                            const std::vector<double>& seconds);

}  // namespace shardmill::repack
