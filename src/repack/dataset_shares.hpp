// Computes how much of each dataset is taken, when amounts or a temperature are asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/recipe.hpp"
#include "pipeline/mill.hpp"

namespace shardmill::repack {

/// About how much audio each dataset holds, from the records of finished datasets or from a look at the
/// sources. `inputs` must have no weights.
std::vector<double> seconds_of_datasets(const pipeline::Inputs& inputs, const pipeline::IntakeOptions& intake,
                                        base::Reporter& reporter);

/// The weights of all datasets. Throws UsageError for a name that no dataset has, and Error for an amount
/// that cannot be reached.
std::map<std::string, double> settle_shares(const dataset::Recipe& recipe, const pipeline::Inputs& inputs,
                                            const std::vector<double>& seconds);

}  // namespace shardmill::repack
