// sample_order: the order in which the samples of a loader worker come to be batched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deal/steps.hpp"

namespace shardmill::deal::steps {

struct Shuffling {
  std::optional<std::uint64_t> seed;  // of the epoch; none: nothing is shuffled
  std::size_t shuffle_buffer = 0;     // 0: nothing is shuffled
  std::size_t sort_buffer = 0;        // 0: nothing is sorted
};

/// The lengths of the samples: frames for WeNet, seconds for all others.
std::vector<double> sample_order(Loader loader, const ShardNumbers& shards, const Place& place,
                                 const ShardLengths& lengths, const Shuffling& how);

}  // namespace shardmill::deal::steps
