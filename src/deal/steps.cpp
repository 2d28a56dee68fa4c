#include "deal/steps.hpp"

#include <algorithm>

#include "deal/steps/stages.hpp"

namespace shardmill::deal {

namespace {

bool is_wenet(Loader loader) {
  return loader == Loader::wenet || loader == Loader::wenet_old;
}

std::size_t shuffle_buffer(Loader loader, const Batching& batching) {
  return batching.shuffle_buffer.value_or(usual_shuffle_buffer(loader));
}

/// The batches of a rank, as its workers take turns. Those that are at their end are passed over.
std::vector<double> in_turns(const std::vector<Batches>& workers) {
  std::vector<double> lengths;
  std::size_t longest = 0;
  for (const Batches& worker : workers) longest = std::max(longest, worker.lengths.size());
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (const Batches& worker : workers) {
      if (turn < worker.lengths.size()) lengths.push_back(worker.lengths[turn]);
    }
  }
  return lengths;
}

}  // namespace

std::uint32_t feature_frames(std::uint64_t audio_frames, std::uint32_t sample_rate) {
  constexpr std::uint64_t kRate = 16000;
  constexpr std::uint64_t kWindow = 400;
  constexpr std::uint64_t kShift = 160;
  const std::uint64_t values = (audio_frames * kRate + sample_rate - 1) / sample_rate;
  return values < kWindow ? 0 : static_cast<std::uint32_t>(1 + (values - kWindow) / kShift);
}

bool can_batch(Loader loader, Batching::By by) {
  switch (by) {
    case Batching::By::samples:
      return loader != Loader::lhotse;
    case Batching::By::frames:
      return is_wenet(loader);
    case Batching::By::buckets:
      return loader == Loader::wenet;
    case Batching::By::duration:
      break;
  }
  return loader == Loader::lhotse;
}

std::size_t usual_shuffle_buffer(Loader loader) {
  switch (loader) {
    case Loader::wenet:
    case Loader::wenet_old:
      return 1500;
    case Loader::webdataset:
      return 1000;
    case Loader::nemo:
      return 2048;
    case Loader::lhotse:
      break;
  }
  return 20000;
}

bool remembers_last_batch(Loader loader, Batching::By by) {
  return loader == Loader::wenet && by == Batching::By::frames;
}

std::vector<double> order_of(Loader loader, const ShardNumbers& shards, const Place& place,
                             const ShardLengths& lengths, const Batching& batching,
                             std::optional<std::uint64_t> seed) {
  return steps::sample_order(loader, shards, place, lengths,
                             {.seed = seed,
                              .shuffle_buffer = shuffle_buffer(loader, batching),
                              .sort_buffer = batching.sort_buffer});
}

Batches batches_of(Loader loader, const ShardNumbers& shards, const Place& place, const ShardLengths& lengths,
                   const Batching& batching, std::optional<std::uint64_t> seed) {
  const std::vector<double> order = order_of(loader, shards, place, lengths, batching, seed);
  switch (batching.by) {
    case Batching::By::samples:
      return steps::groups_of(order, static_cast<std::size_t>(batching.most));
    case Batching::By::frames:
      return steps::groups_up_to(order, batching.most);
    case Batching::By::buckets:
      return steps::groups_by_length(order, batching.bins, batching.sizes);
    case Batching::By::duration:
      break;
  }
  return steps::batches_from_buckets(order,
                                     {.most_seconds = batching.most,
                                      .buffer = std::max<std::size_t>(shuffle_buffer(loader, batching), 1),
                                      .bins = batching.bins,
                                      .seed = seed,
                                      .worker = place.worker});
}

Batches dynamic_batches_of(const std::vector<double>& order, double most, double& longest) {
  return steps::groups_up_to(order, most, longest);
}

std::uint64_t EpochSteps::fewest() const {
  return *std::min_element(steps.begin(), steps.end());
}

std::uint64_t EpochSteps::most() const {
  return *std::max_element(steps.begin(), steps.end());
}

EpochSteps meet(const std::vector<std::vector<Batches>>& of_workers) {
  EpochSteps epoch;
  std::vector<double> longest;  // of each step
  double padded = 0;
  double filled = 0;
  for (const std::vector<Batches>& workers : of_workers) {
    const std::vector<double> lengths = in_turns(workers);
    epoch.steps.push_back(lengths.size());
    longest.resize(std::max(longest.size(), lengths.size()), 0);
    for (std::size_t step = 0; step < lengths.size(); ++step) {
      padded += lengths[step];
      longest[step] = std::max(longest[step], lengths[step]);
    }
    for (const Batches& worker : workers) {
      filled += worker.filled;
      epoch.samples += worker.samples;
    }
  }
  double all = 0;
  for (const double step : longest) all += step * static_cast<double>(of_workers.size());
  if (padded > 0) epoch.padding = 1 - filled / padded;
  if (all > 0) epoch.idle = 1 - padded / all;
  return epoch;
}

}  // namespace shardmill::deal
