// grouping: batches of samples in the order in which they come.
#pragma once

#include <cstddef>
#include <vector>

#include "deal/steps.hpp"

namespace shardmill::deal::steps {

/// Batches of `size` samples; the last one may have fewer.
Batches groups_of(const std::vector<double>& order, std::size_t size);

/// WeNet's dynamic batches: a sample that would make a batch longer than `most`, padding included, begins the
/// next one.
Batches groups_up_to(const std::vector<double>& order, double most);

/// The same for one epoch after another. The first batch may hold no more samples than if one as long as
/// `longest` were among them. That is 0 before the first epoch, then the longest sample of the last batch.
Batches groups_up_to(const std::vector<double>& order, double most, double& longest);

/// WeNet's bucket_by_sequence_length: a batch is complete when its bucket holds as many samples as `sizes`
/// says. At the end come those that are begun, in the order in which they were. There is one size more than
/// there are `bins`.
Batches groups_by_length(const std::vector<double>& order, const std::vector<double>& bins,
                         const std::vector<std::size_t>& sizes);

}  // namespace shardmill::deal::steps
