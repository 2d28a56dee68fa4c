#include "shardmill/deal/dealer.hpp"

#include <algorithm>

namespace shardmill::deal {
namespace {

__extension__ using Wide = unsigned __int128;

// Samples are held back when no more than this many samples a shard are expected, of all datasets together,
// or of their own dataset.
constexpr std::uint64_t kHoldOfAll = 16;
constexpr std::uint64_t kHoldOfDatasetTenths = 15;

}  // namespace

Dealer::Dealer(std::uint32_t shards, std::uint32_t datasets) : shards_(shards), datasets_(datasets) {}

Dealer::Dealer(const DealerState& state) {
  for (const std::int64_t nanoseconds : state.shard_nanoseconds) shards_.emplace_back(nanoseconds);
  for (const DealerState::Dataset& from : state.datasets) {
    Dataset& dataset = datasets_.emplace_back();
    dataset.seen = DurationHistogram(from.seen_durations);
    dataset.round = Round(from.round);
    dataset.dealt = from.dealt;
    dataset.consumed_bytes = from.consumed_bytes;
    dataset.total_bytes = from.total_bytes;
    update_expected(dataset);
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
    const Wide expected =
        Wide{dataset.seen.total() + 1} * left / std::max<std::uint64_t>(1, dataset.consumed_bytes);
    dataset.expected = static_cast<std::uint64_t>(std::min<Wide>(expected, 1ULL << 48));
  }
  expected_ += dataset.expected;
}

bool Dealer::should_hold(const Dataset& dataset) const {
  return expected_ <= kHoldOfAll * shards_.size() ||
         dataset.expected * 10 <= kHoldOfDatasetTenths * shards_.size();
}

std::optional<std::uint32_t> Dealer::deal(std::uint32_t dataset, Duration duration) {
  Dataset& of = datasets_[dataset];
  const bool hold = should_hold(of);
  of.seen.add(duration);
  update_expected(of);
  if (hold) return std::nullopt;

  if (of.round.over()) of.round.begin(shards_);
  const auto [longer, alike] = of.seen.rank(duration);
  const std::uint32_t shard = of.round.serve(2 * longer + alike, 2 * of.seen.total());
  shards_[shard] += duration;
  ++of.dealt;
  return shard;
}

std::vector<std::uint32_t> Dealer::deal_rest(std::span<const HeldSample> held) const {
  std::vector<DealtBefore> before;
  for (const Dataset& dataset : datasets_) before.push_back({dataset.dealt, dataset.round.unserved()});
  return deal::deal_rest(shards_, before, held);
}

DealerState Dealer::state() const {
  DealerState state;
  for (const Duration duration : shards_) state.shard_nanoseconds.push_back(duration.count());
  for (const Dataset& dataset : datasets_) {
    state.datasets.push_back({.dealt = dataset.dealt,
                              .consumed_bytes = dataset.consumed_bytes,
                              .total_bytes = dataset.total_bytes,
                              .seen_durations = dataset.seen.counts(),
                              .round = dataset.round.state()});
  }
  return state;
}

}  // namespace shardmill::deal
