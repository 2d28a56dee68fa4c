// ShardTally: counts the samples and the audio of one output shard as it grows.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "manifest/dataset_record.hpp"

namespace shardmill::shard {

struct ShardTally {
  struct Share {
    std::uint64_t samples = 0;
    std::chrono::nanoseconds duration{};
  };

  std::vector<Share> datasets;
  std::uint64_t with_text = 0;  // samples with a transcript
  std::chrono::nanoseconds shortest{std::chrono::nanoseconds::max()};
  std::chrono::nanoseconds longest{};

  void add(std::uint32_t dataset, std::chrono::nanoseconds duration, bool has_text) {
    with_text += has_text ? 1 : 0;
    datasets[dataset].samples += 1;
    datasets[dataset].duration += duration;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
  }
  std::uint64_t samples() const {
    std::uint64_t sum = 0;
    for (const Share& share : datasets) sum += share.samples;
    return sum;
  }
  std::chrono::nanoseconds duration() const {
    std::chrono::nanoseconds sum{};
    for (const Share& share : datasets) sum += share.duration;
    return sum;
  }
};

/// The duration in the form of records.
double seconds(std::chrono::nanoseconds duration);

/// `tallies` must not be empty.
manifest::DatasetRecord::Balance balance_of(const std::vector<ShardTally>& tallies);

}  // namespace shardmill::shard
