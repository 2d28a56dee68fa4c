// found_sources(): finds the sources that the arguments of a run name.
#pragma once

#include <vector>

#include "dataset/recipe.hpp"
#include "repack/options.hpp"
#include "source/source_set.hpp"

namespace shardmill::repack {

/// Finds the sources. A dry run goes on as if its advice about tables had been followed, so that one list
/// also has the mistakes in those tables, and the samples that they lack.
source::SourceSet found_sources(const RepackOptions& options, dataset::Recipe& recipe,
                                const std::vector<source::LabelFile>& labels, Faults& faults);

}  // namespace shardmill::repack
