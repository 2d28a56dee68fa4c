#include "deal/even.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

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

namespace {

using Reason = LeastSpread::Reason;

/// Samples that are spread over the shards as evenly as their number allows.
class Lengths {
 public:
  Lengths(std::vector<Nanoseconds> longest_first, std::uint64_t shards)
      : lengths_(std::move(longest_first)),
        fewest_(lengths_.size() / shards),
        most_((lengths_.size() + shards - 1) / shards),
        sums_(lengths_.size() + 1) {
    std::sort(lengths_.begin(), lengths_.end(), std::greater<>());
    std::partial_sum(lengths_.begin(), lengths_.end(), sums_.begin() + 1);
  }

  std::uint64_t size() const { return lengths_.size(); }
  /// Of a shard: the fewest and the most samples that it can hold.
  std::uint64_t fewest() const { return fewest_; }
  std::uint64_t most() const { return most_; }
  Nanoseconds length(std::uint64_t place) const { return lengths_[place]; }
  /// The sum of `samples` lengths from a place on, longest first. Fewer where there are fewer.
  Nanoseconds sum(std::uint64_t place, std::uint64_t samples) const {
    const std::uint64_t begin = std::min(place, size());
    return sums_[std::min(begin + samples, size())] - sums_[begin];
  }
  Nanoseconds total() const { return sums_.back(); }
  Nanoseconds shortest(std::uint64_t samples) const { return sum(size() - samples, samples); }
  Nanoseconds longest(std::uint64_t samples) const { return sum(0, samples); }

 private:
  std::vector<Nanoseconds> lengths_;
  std::uint64_t fewest_;
  std::uint64_t most_;
  std::vector<Nanoseconds> sums_;
};

class Bound {
 public:
  Bound(Nanoseconds total, std::uint64_t shards)
      : total_(total), others_(static_cast<Nanoseconds>(shards) - 1) {
    least_.share = Duration(total / static_cast<Nanoseconds>(shards));
  }

  /// One shard lasts at least `time`, so the others last less than that on average.
  void add_longest(Nanoseconds time, LeastSpread why) { add(time - (total_ - time) / others_, why); }
  /// One shard lasts at most `time`.
  void add_shortest(Nanoseconds time, LeastSpread why) { add((total_ - time) / others_ - time, why); }
  void add(Nanoseconds spread, LeastSpread why) {
    if (Duration(spread) <= least_.spread) return;
    why.spread = Duration(spread);
    why.share = least_.share;
    least_ = why;
  }
  const LeastSpread& least() const { return least_; }

 private:
  Nanoseconds total_;
  Nanoseconds others_;
  LeastSpread least_;
};

/// Of the longest j * shards + 1 samples, one shard gets j + 1. The rest of it is as short as it can be;
/// samples of other datasets last at least `others`.
void add_long_samples(const Lengths& lengths, std::uint64_t shards, Nanoseconds others, Bound& bound) {
  for (std::uint64_t j = 0; j * shards < lengths.size(); ++j) {
    const std::uint64_t last = j * shards;
    const std::uint64_t rest = lengths.fewest() > j + 1 ? lengths.fewest() - j - 1 : 0;
    bound.add_longest(lengths.sum(last - j, j + 1) + lengths.shortest(rest) + others,
                      {.reason = Reason::long_samples,
                       .samples = last + 1,
                       .length = Duration(lengths.length(last)),
                       .together = j + 1});
  }
}

/// Of the longest j * shards + shards - 1 samples, one shard gets at most j. The rest of it is as long as it
/// can be; samples of other datasets last at most `others`.
void add_few_long(const Lengths& lengths, std::uint64_t shards, Nanoseconds others, Bound& bound) {
  for (std::uint64_t j = 0; j < lengths.most(); ++j) {
    const std::uint64_t few = j * shards + shards - 1;
    if (few > lengths.size()) return;
    bound.add_shortest(lengths.longest(j) + lengths.sum(few, lengths.most() - j) + others,
                       {.reason = Reason::few_long,
                        .samples = few,
                        .length = Duration(lengths.length(few - 1)),
                        .together = j});
  }
}

void add_steps(std::span<const HeldSample> samples, std::uint64_t shards, Nanoseconds total, Bound& bound) {
  Nanoseconds step = 0;
  for (const HeldSample& sample : samples) step = std::gcd(step, sample.duration.count());
  if (step == 0 || total / step % static_cast<Nanoseconds>(shards) == 0) return;
  bound.add(step, {.reason = Reason::steps, .length = Duration(step)});
}

}  // namespace

LeastSpread least_spread(std::span<const HeldSample> samples, std::uint64_t shards) {
  if (shards < 2 || samples.empty()) return {};
  std::vector<Nanoseconds> all;
  std::vector<std::vector<Nanoseconds>> by_dataset;
  for (const HeldSample& sample : samples) {
    all.push_back(sample.duration.count());
    if (sample.dataset >= by_dataset.size()) by_dataset.resize(sample.dataset + 1);
    by_dataset[sample.dataset].push_back(sample.duration.count());
  }
  const Lengths together(std::move(all), shards);
  Bound bound(together.total(), shards);
  add_long_samples(together, shards, 0, bound);
  add_few_long(together, shards, 0, bound);
  add_steps(samples, shards, together.total(), bound);
  if (by_dataset.size() == 1) return bound.least();

  std::vector<Lengths> datasets;
  Nanoseconds shortest = 0;  // what the samples of all datasets last at least in a shard
  Nanoseconds longest = 0;
  for (std::vector<Nanoseconds>& lengths : by_dataset) {
    const Lengths& dataset = datasets.emplace_back(std::move(lengths), shards);
    shortest += dataset.shortest(dataset.fewest());
    longest += dataset.longest(dataset.most());
  }
  for (const Lengths& dataset : datasets) {
    add_long_samples(dataset, shards, shortest - dataset.shortest(dataset.fewest()), bound);
    add_few_long(dataset, shards, longest - dataset.longest(dataset.most()), bound);
  }
  return bound.least();
}

}  // namespace shardmill::deal
