// The number of batches that ranks take in each epoch, and settings that would make them equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/steps.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::ranks {

/// The lengths of all samples of a dataset with `shards` shards, from its manifests. Throws Error for a
/// manifest that cannot be read.
deal::ShardLengths sample_lengths(const std::string& dataset_folder, std::size_t shards,
                                  pipeline::Workers& workers, base::Reporter& reporter);

/// The seconds of all samples, in their order.
std::vector<double> seconds_of(const deal::ShardLengths& lengths);

/// At least one.
struct StepsOfEpochs {
  std::vector<deal::EpochSteps> epochs;

  /// The epoch in which ranks differ most; of equals, the first.
  std::size_t worst() const;
  std::uint64_t fewest() const;  // of any rank in any epoch
  std::uint64_t most() const;
  /// The number of epochs in which ranks differ.
  std::size_t uneven() const;
  double mean_padding() const;
  double mean_idle() const;
};

struct StepsReport {
  StepsOfEpochs counted;
  /// The same loader with batches of a fixed number of samples, the average of the other batches. Only if
  /// ranks differ, and batches have no fixed number of samples.
  struct StaticBatches {
    std::uint64_t samples = 0;  // of a batch
    StepsOfEpochs counted;
  };
  std::optional<StaticBatches> static_batches{};
  /// The steps of all ranks if every shard had only as many samples as the smallest shard. Only if ranks
  /// differ, batches have a fixed number of samples, and the shards divide among all workers.
  std::optional<std::uint64_t> if_even{};
};

/// The settings that all epochs share.
struct StepsRequest {
  deal::Loader loader{};
  deal::Team team;
  const std::vector<deal::ShardNumbers>& orders;  // of the shards, of each epoch; one: of all of them
  std::uint64_t epochs = 0;                       // 0: one, without any shuffle
  std::uint64_t seed = 0;                         // of the first one
  const deal::ShardLengths& lengths;
  const deal::Batching& batching;
};

StepsReport count_steps(const StepsRequest& request, pipeline::Workers& workers, base::Reporter& reporter);

/// The steps of each epoch of a job; at least one epoch, even if nothing is shuffled.
std::vector<deal::EpochSteps> steps_of_epochs(const StepsRequest& request, pipeline::Workers& workers,
                                              base::Reporter& reporter);

}  // namespace shardmill::ranks
