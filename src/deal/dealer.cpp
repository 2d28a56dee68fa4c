#include "deal/dealer.hpp"

#include <algorithm>
#include <utility>

namespace shardmill::deal {
namespace {

__extension__ using Wide = unsigned __int128;

// How many samples are held back. This was simulated with speech-like durations (64 to 1000 samples per
// shard, 2 to 5000 shards, one to 20 datasets, random and sorted orders). 12 per shard always kept the
// promise, and mostly came within a millisecond; 8 failed when the input was sorted or several datasets were
// mixed. Few shards have fewer partners for exchanges, so they get more, which costs little.
constexpr std::uint64_t kHeldPerShard = 12;
constexpr std::uint64_t kHeldPerShardOfFew = 16;
constexpr std::uint64_t kHeldByFew = 256;
// A small input is held as a whole: with few samples a shard, or many unlike datasets, any part may be too
// little. More audio than this would be written twice for nothing in most cases.
constexpr std::uint64_t kSmallPerShard = 128;
constexpr std::uint64_t kSmallSamples = 8192;
constexpr Duration kSmallDuration = std::chrono::hours(6);
// A third of these comes from all over the input, so that there are long and short ones among them even when
// the input ends with neither.
constexpr std::uint64_t kHeldOnTheWayPerShard = 4;
constexpr std::int64_t kUsualTimesMean = 4;
// At least this many of each dataset (three for every two shards), so that its counts can be made equal.
constexpr std::uint64_t kHeldOfDatasetPerTwoShards = 3;
// Before this much of a dataset was read, it is not expected to have many samples: a small dataset would be
// dealt in the belief that many more samples follow, which could make up for it.
constexpr std::uint64_t kTooLittleToExpectFrom = 64 << 10;

/// How many samples are held at the end, whatever the datasets are.
std::uint64_t to_hold(std::uint64_t shards) {
  return std::clamp(kHeldByFew, kHeldPerShard * shards, kHeldPerShardOfFew * shards);
}

bool is_small_input(std::uint64_t shards, std::uint64_t samples) {
  return shards > 1 && samples <= std::min(kSmallSamples, kSmallPerShard * shards);
}

}  // namespace

Dealer::Dealer(std::uint32_t shards, std::uint32_t datasets, Allowances allowances)
    : shards_(shards),
      datasets_(datasets, Dataset{.deal = DatasetDeal(std::vector<Holding>(shards), {})}),
      allowances_(std::move(allowances)) {}

Dealer::Dealer(const DealerState& state, Allowances allowances)
    : shards_(state.datasets.front().shards.size()), allowances_(std::move(allowances)) {
  for (const DealerState::Dataset& from : state.datasets) {
    datasets_.push_back({.deal = DatasetDeal(from.shards, from.seen),
                         .held = from.held,
                         .consumed_bytes = from.consumed_bytes,
                         .total_bytes = from.total_bytes});
    update_expected(datasets_.back());
    seen_ += from.seen.samples;
    held_ += from.held;
  }
}

void Dealer::progress(std::uint32_t dataset, std::uint64_t consumed_bytes, std::uint64_t total_bytes) {
  datasets_[dataset].consumed_bytes = consumed_bytes;
  datasets_[dataset].total_bytes = total_bytes;
  update_expected(datasets_[dataset]);
}

void Dealer::update_expected(Dataset& dataset) {
  expected_ -= dataset.expected;
  dataset.expected = 0;
  if (dataset.consumed_bytes < dataset.total_bytes) {
    const std::uint64_t left = dataset.total_bytes - dataset.consumed_bytes;
    const Wide expected = Wide{dataset.deal.seen().samples + 1} * left /
                          std::max(kTooLittleToExpectFrom, dataset.consumed_bytes);
    dataset.expected = static_cast<std::uint64_t>(std::min<Wide>(expected, 1ULL << 48));
  }
  expected_ += dataset.expected;
}

/// Whether all of the input can be held, as far as is known. Nothing is known of an input without a size.
bool Dealer::is_small() const {
  if (!is_small_input(shards_, seen_ + expected_)) return false;
  Duration duration{};
  for (const Dataset& dataset : datasets_) {
    const DatasetDeal::Seen& seen = dataset.deal.seen();
    if (seen.samples == 0) continue;
    if (dataset.total_bytes == 0) return false;
    const auto mean = seen.duration / static_cast<std::int64_t>(seen.samples);
    duration += seen.duration + mean * static_cast<std::int64_t>(dataset.expected);
  }
  return duration <= kSmallDuration;
}

bool Dealer::should_hold(std::uint32_t number, Duration duration) const {
  const Dataset& dataset = datasets_[number];
  if (!allowances_.empty()) {
    const std::uint64_t seen = dataset.deal.seen().samples;
    const auto dealt_then = static_cast<double>(seen - dataset.held);
    return dealt_then > static_cast<double>(seen) * allowances_[number];
  }
  if (held_ + expected_ < to_hold(shards_)) return true;
  if (is_small()) return true;
  if (2 * (dataset.held + dataset.expected) < kHeldOfDatasetPerTwoShards * shards_) return true;
  const DatasetDeal::Seen& seen = dataset.deal.seen();
  // An unusually long sample is dealt at once, so that as much input as possible is left to make up for it.
  const bool usual = duration < kUsualTimesMean * (seen.duration / static_cast<std::int64_t>(seen.samples));
  return usual &&
         Wide{dataset.held} * (seen_ + expected_) < Wide{kHeldOnTheWayPerShard * shards_} * seen.samples;
}

std::optional<std::uint32_t> Dealer::deal(std::uint32_t dataset, Duration duration) {
  Dataset& of = datasets_[dataset];
  ++seen_;
  of.deal.see(duration);
  update_expected(of);
  if (!should_hold(dataset, duration)) return of.deal.deal(duration);
  ++of.held;
  ++held_;
  return std::nullopt;
}

std::vector<std::span<const Holding>> Dealer::holdings() const {
  std::vector<std::span<const Holding>> holdings;
  for (const Dataset& dataset : datasets_) holdings.push_back(dataset.deal.shards());
  return holdings;
}

DealerState Dealer::state() const {
  DealerState state;
  for (const Dataset& dataset : datasets_) {
    state.datasets.push_back({.shards = {dataset.deal.shards().begin(), dataset.deal.shards().end()},
                              .seen = dataset.deal.seen(),
                              .held = dataset.held,
                              .consumed_bytes = dataset.consumed_bytes,
                              .total_bytes = dataset.total_bytes});
  }
  return state;
}

std::uint64_t held_samples(std::uint64_t shards, std::uint64_t samples, Duration duration) {
  if (is_small_input(shards, samples) && duration <= kSmallDuration) return samples;
  return std::min(samples, to_hold(shards));
}

}  // namespace shardmill::deal
