#include "deal/least_spread.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace shardmill::deal {
namespace {

using Nanoseconds = std::int64_t;
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
