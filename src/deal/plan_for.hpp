// PlanFor: the training that shards are made for, in which all ranks take the same number of steps.
#pragma once

#include <cstdint>

#include "deal/loader_rule.hpp"

namespace shardmill::deal {

/// Batches of a fixed number of samples. Where each worker reads as many shards as any other, and all shards
/// hold the same number of samples, all ranks take the same steps under any shuffle. No shards make this so
/// for batches of other kinds.
struct PlanFor {
  Loader loader{};
  std::uint64_t batch_samples = 1;
  std::uint64_t ranks = 1;
  std::uint64_t workers = 1;  // of each rank

  /// What the number of shards must be a multiple of.
  std::uint64_t multiple_of() const { return ranks * workers; }
  /// In an epoch, where all of these samples are in shards as they should be.
  std::uint64_t samples_of_worker(std::uint64_t samples) const { return samples / multiple_of(); }
  /// Of each rank, where all of these samples are in shards as they should be.
  std::uint64_t steps(std::uint64_t samples) const {
    return workers * ((samples_of_worker(samples) + batch_samples - 1) / batch_samples);
  }

  bool operator==(const PlanFor&) const = default;
};

}  // namespace shardmill::deal
