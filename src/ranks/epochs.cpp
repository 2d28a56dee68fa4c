#include "ranks/epochs.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "deal/steps.hpp"

namespace shardmill::ranks {

namespace {

using deal::EpochSteps;

/// What each loader worker gives: [rank][worker].
template <typename Value>
using OfWorkers = std::vector<std::vector<Value>>;

/// Calls make(shards, place, seed) for each worker of an epoch.
template <typename Make>
auto for_workers(const StepsRequest& request, std::size_t epoch, const Make& make) {
  const auto seed = request.epochs > 0 ? std::optional(request.seed + epoch) : std::nullopt;
  const auto& order = request.orders[std::min(epoch, request.orders.size() - 1)];
  const deal::Split split = deal::split(request.loader, order, request.team);
  OfWorkers<decltype(make(split[0][0], deal::Place{}, seed))> made(split.size());
  for (std::size_t rank = 0; rank < split.size(); ++rank) {
    for (std::size_t worker = 0; worker < split[rank].size(); ++worker) {
      const deal::Place place{.rank = rank, .worker = worker, .workers = request.team.workers};
      made[rank].push_back(make(split[rank][worker], place, seed));
    }
  }
  return made;
}

EpochSteps steps_in(const StepsRequest& request, std::size_t epoch) {
  return deal::meet(for_workers(request, epoch, [&](const auto& shards, const auto& place, const auto seed) {
    return deal::batches_of(request.loader, shards, place, request.lengths, request.batching, seed);
  }));
}

OfWorkers<std::vector<double>> orders_in(const StepsRequest& request, std::size_t epoch) {
  return for_workers(request, epoch, [&](const auto& shards, const auto& place, const auto seed) {
    return deal::order_of(request.loader, shards, place, request.lengths, request.batching, seed);
  });
}

/// Dynamic batches of workers that remember. `longest` is what they remember, and is changed.
EpochSteps steps_after(const OfWorkers<std::vector<double>>& orders, double most,
                       OfWorkers<double>& longest) {
  OfWorkers<deal::Batches> batches(orders.size());
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    for (std::size_t worker = 0; worker < orders[rank].size(); ++worker) {
      batches[rank].push_back(deal::dynamic_batches_of(orders[rank][worker], most, longest[rank][worker]));
    }
  }
  return deal::meet(batches);
}

/// An epoch holds the lengths of one worker's samples, shuffled, and those of all batches.
std::uint64_t bytes_of_epoch(const StepsRequest& request) {
  std::uint64_t samples = 0;
  for (const auto& shard : request.lengths) samples += shard.size();
  return samples * 3 * sizeof(double);
}

/// Shuffles some epochs at a time, which takes long, and then makes their batches, one epoch after another.
std::vector<EpochSteps> epochs_in_a_row(const StepsRequest& request, std::size_t count,
                                        pipeline::Workers& workers, base::Reporter& reporter) {
  const std::uint64_t bytes = bytes_of_epoch(request);
  const std::size_t at_a_time = workers.items_in_flight(bytes);
  OfWorkers<double> longest(request.team.world_size, std::vector<double>(request.team.workers, 0));
  std::vector<EpochSteps> epochs;
  while (epochs.size() < count) {
    std::vector<OfWorkers<std::vector<double>>> orders(std::min(at_a_time, count - epochs.size()));
    workers.for_each(
        orders.size(),
        [&](std::size_t i) {
          reporter.check_stop();
          orders[i] = orders_in(request, epochs.size() + i);
        },
        bytes);
    for (auto& order : orders) {
      epochs.push_back(steps_after(order, request.batching.most, longest));
      order = {};
    }
  }
  return epochs;
}

}  // namespace

std::vector<EpochSteps> steps_of_epochs(const StepsRequest& request, pipeline::Workers& workers,
                                        base::Reporter& reporter) {
  const std::size_t count = std::max<std::uint64_t>(request.epochs, 1);
  if (deal::remembers_last_batch(request.loader, request.batching.by))
    return epochs_in_a_row(request, count, workers, reporter);
  std::vector<EpochSteps> epochs(count);
  workers.for_each(
      count,
      [&](std::size_t epoch) {
        reporter.check_stop();
        epochs[epoch] = steps_in(request, epoch);
      },
      bytes_of_epoch(request));
  return epochs;
}

}  // namespace shardmill::ranks
