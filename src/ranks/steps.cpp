#include "ranks/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "deal/steps.hpp"
#include "manifest/layout.hpp"

namespace shardmill::ranks {

namespace {

using deal::Batching;
using deal::EpochSteps;

std::vector<deal::SampleLength> lengths_in(const std::string& manifest) {
  std::vector<deal::SampleLength> lengths;
  base::LineReader lines(manifest);
  base::JsonParser parser;
  for (std::string_view line; lines.next(line);) {
    try {
      const base::JsonValue sample = parser.parse(line);
      const double seconds = sample["duration"].number();
      const std::uint64_t frames = sample["frames"].unsigned_integer();
      const std::uint64_t rate = sample["sample_rate"].unsigned_integer();
      if (rate == 0 || rate > std::numeric_limits<std::uint32_t>::max()) throw Error("has no sample rate");
      lengths.push_back(
          {.seconds = seconds, .frames = deal::feature_frames(frames, static_cast<std::uint32_t>(rate))});
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }
  return lengths;
}

double mean(const std::vector<EpochSteps>& epochs, double EpochSteps::*share) {
  double sum = 0;
  for (const EpochSteps& epoch : epochs) sum += epoch.*share;
  return sum / static_cast<double>(epochs.size());
}

std::optional<StepsReport::StaticBatches> static_batches_for(const StepsRequest& request,
                                                             const StepsOfEpochs& counted,
                                                             pipeline::Workers& workers,
                                                             base::Reporter& reporter) {
  if (!deal::can_batch(request.loader, Batching::By::samples)) return std::nullopt;
  double batches = 0;
  double samples = 0;
  for (const EpochSteps& epoch : counted.epochs) {
    samples += static_cast<double>(epoch.samples);
    for (const std::uint64_t steps : epoch.steps) batches += static_cast<double>(steps);
  }
  Batching batching = request.batching;
  batching.by = Batching::By::samples;
  batching.most = std::max(1.0, std::round(samples / std::max(1.0, batches)));
  StepsRequest other{.loader = request.loader,
                     .team = request.team,
                     .orders = request.orders,
                     .epochs = request.epochs,
                     .seed = request.seed,
                     .lengths = request.lengths,
                     .batching = batching};
  return StepsReport::StaticBatches{.samples = static_cast<std::uint64_t>(batching.most),
                                    .counted = {.epochs = steps_of_epochs(other, workers, reporter)}};
}

std::optional<std::uint64_t> steps_if_even(const StepsRequest& request) {
  const std::size_t all_workers = request.team.world_size * request.team.workers;
  if (request.lengths.size() % all_workers != 0) return std::nullopt;
  std::uint64_t samples = std::numeric_limits<std::uint64_t>::max();
  for (const auto& shard : request.lengths) samples = std::min<std::uint64_t>(samples, shard.size());
  const std::uint64_t of_worker = samples * (request.lengths.size() / all_workers);
  const auto size = static_cast<std::uint64_t>(request.batching.most);
  return request.team.workers * ((of_worker + size - 1) / size);
}

}  // namespace

std::size_t StepsOfEpochs::worst() const {
  const auto found = std::max_element(epochs.begin(), epochs.end(),
                                      [](const auto& a, const auto& b) { return a.spread() < b.spread(); });
  return static_cast<std::size_t>(found - epochs.begin());
}

std::uint64_t StepsOfEpochs::fewest() const {
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (const EpochSteps& epoch : epochs) fewest = std::min(fewest, epoch.fewest());
  return fewest;
}

std::uint64_t StepsOfEpochs::most() const {
  std::uint64_t most = 0;
  for (const EpochSteps& epoch : epochs) most = std::max(most, epoch.most());
  return most;
}

std::size_t StepsOfEpochs::uneven() const {
  return static_cast<std::size_t>(
      std::count_if(epochs.begin(), epochs.end(), [](const auto& epoch) { return epoch.spread() != 0; }));
}

double StepsOfEpochs::mean_padding() const {
  return mean(epochs, &EpochSteps::padding);
}

double StepsOfEpochs::mean_idle() const {
  return mean(epochs, &EpochSteps::idle);
}

deal::ShardLengths sample_lengths(const std::string& dataset_folder, std::size_t shards,
                                  pipeline::Workers& workers, base::Reporter& reporter) {
  deal::ShardLengths lengths(shards);
  workers.for_each(shards, [&](std::size_t i) {
    reporter.check_stop();
    lengths[i] = lengths_in(base::inside(dataset_folder, manifest::manifest_path(i)));
  });
  return lengths;
}

std::vector<double> seconds_of(const deal::ShardLengths& lengths) {
  std::vector<double> seconds;
  for (const auto& shard : lengths) {
    for (const deal::SampleLength& sample : shard) seconds.push_back(sample.seconds);
  }
  return seconds;
}

StepsReport count_steps(const StepsRequest& request, pipeline::Workers& workers, base::Reporter& reporter) {
  StepsReport report{.counted = {.epochs = steps_of_epochs(request, workers, reporter)}};
  if (report.counted.uneven() == 0) return report;
  if (request.batching.by == Batching::By::samples) {
    report.if_even = steps_if_even(request);
  } else {
    report.static_batches = static_batches_for(request, report.counted, workers, reporter);
  }
  return report;
}

namespace {

using deal::EpochSteps;

/// The batches of each loader worker: [rank][worker].
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

/// Dynamic batches of workers that remember the longest sample. Changes `longest`.
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

/// Shuffles several epochs at a time, which takes long, and then makes their batches, one epoch after
/// another.
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
