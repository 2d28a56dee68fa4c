#include "deal/even.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "deal/refine/refiner.hpp"

namespace shardmill::deal {

namespace {

using Dealt = std::span<const std::span<const Holding>>;

std::uint64_t draw_of(std::uint64_t seed, std::uint64_t number) {
  return base::mix((seed + 1) * 0x9e3779b97f4a7c15 + number);
}

std::vector<std::uint32_t> some_of(std::uint32_t held, std::uint64_t wanted, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> drawn;
  drawn.reserve(held);
  for (std::uint32_t number = 0; number < held; ++number) drawn.emplace_back(draw_of(seed, number), number);
  const auto end = drawn.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(wanted, held));
  std::partial_sort(drawn.begin(), end, drawn.end());
  std::vector<std::uint32_t> chosen;
  for (auto each = drawn.begin(); each != end; ++each) chosen.push_back(each->second);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::uint64_t count(Dealt dealt) {
  std::uint64_t samples = 0;
  for (const auto& shards : dealt) {
    for (const Holding& shard : shards) samples += shard.samples;
  }
  return samples;
}

std::uint64_t range_of(const std::vector<std::uint64_t>& counts) {
  const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
  return *most - *fewest;
}

/// Sets the spread and whether the counts are equal.
void judge(Dealt dealt, std::span<const HeldSample> samples, const std::vector<std::uint32_t>& shards,
           const EvenWish& wish, RestDeal& deal) {
  const std::size_t all = dealt.front().size();
  std::vector<Duration> times(all);
  std::vector<std::vector<std::uint64_t>> counts(dealt.size() + 1, std::vector<std::uint64_t>(all));
  std::vector<std::uint64_t>& totals = counts.back();
  for (std::size_t d = 0; d < dealt.size(); ++d) {
    for (std::size_t shard = 0; shard < all; ++shard) {
      times[shard] += dealt[d][shard].duration;
      counts[d][shard] += dealt[d][shard].samples;
      totals[shard] += dealt[d][shard].samples;
    }
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    times[shards[i]] += samples[i].duration;
    ++counts[samples[i].dataset][shards[i]];
    ++totals[shards[i]];
  }
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  deal.spread = *most - *least;
  deal.has_equal_counts =
      range_of(totals) <= (wish.even == Even::off ? 1U : 0U) &&
      std::all_of(counts.begin(), counts.end(), [](const auto& dataset) { return range_of(dataset) <= 1; });
}

}  // namespace

EvenChange even_out(std::uint64_t dealt, std::uint32_t held, std::uint64_t shards, const EvenWish& wish) {
  const std::uint64_t over = (dealt + held) % shards;
  if (wish.even == Even::off || over == 0) return {};
  if (wish.even == Even::leave_out) return {.left_out = some_of(held, over, wish.seed), .repeated = {}};
  return {.left_out = {}, .repeated = some_of(held, shards - over, wish.seed)};
}

bool RestDeal::is_better_than(const RestDeal& other) const {
  if (has_equal_counts != other.has_equal_counts) return has_equal_counts;
  return spread < other.spread;
}

RestDeal deal_evenly(Dealt dealt, std::span<const HeldSample> held, const EvenWish& wish, Effort effort) {
  const EvenChange change =
      even_out(count(dealt), static_cast<std::uint32_t>(held.size()), dealt.front().size(), wish);
  std::vector<std::uint32_t> numbers;  // of the samples that are dealt
  for (std::uint32_t i = 0; i < held.size(); ++i) {
    if (!std::binary_search(change.left_out.begin(), change.left_out.end(), i)) numbers.push_back(i);
  }
  const std::size_t originals = numbers.size();
  numbers.insert(numbers.end(), change.repeated.begin(), change.repeated.end());
  std::vector<HeldSample> samples;
  samples.reserve(numbers.size());
  for (const std::uint32_t number : numbers) samples.push_back(held[number]);
  const auto deal_with = [&](Effort how) {
    const auto shards = deal_rest(dealt, samples, wish.even != Even::off, how);
    RestDeal deal{.left_out = change.left_out, .placed = {}, .repeated = {}};
    for (std::size_t i = 0; i < numbers.size(); ++i)
      (i < originals ? deal.placed : deal.repeated).push_back({.number = numbers[i], .shard = shards[i]});
    judge(dealt, samples, shards, wish, deal);
    return deal;
  };
  RestDeal quick = deal_with(Effort::quick);
  const bool is_found = quick.has_equal_counts && quick.spread <= wanted_spread(samples);
  if (effort == Effort::quick || is_found) return quick;
  RestDeal thorough = deal_with(Effort::thorough);
  return thorough.is_better_than(quick) ? thorough : quick;
}

void check_equal(const RestDeal& deal, const EvenWish& wish) {
  if (wish.even == Even::off || deal.has_equal_counts) return;
  throw Error("the shards cannot all hold the same number of samples", {}, "ask for fewer shards");
}

}  // namespace shardmill::deal
