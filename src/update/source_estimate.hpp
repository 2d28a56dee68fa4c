// source_estimate: about how much the sources of an update hold, without reading all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "repack/plan.hpp"
#include "update/arrangement.hpp"

namespace shardmill::update {

/// About how much the sources hold of one dataset, weights included.
struct Expected {
  double samples = 0;
  double seconds = 0;
};

/// By dataset of `names`; from a look at the first samples of some of the files.
std::vector<Expected> expected_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                                  base::Reporter& reporter);

/// How many shards like those that are there can be filled with so many samples of each dataset.
std::uint64_t shards_from(const Likeness& like, const std::vector<double>& samples);

}  // namespace shardmill::update
