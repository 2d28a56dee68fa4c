#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

/// Which sums can be made: bit s of a set is the sum s.
using Sums = std::vector<std::uint64_t>;

constexpr std::size_t kBits = 64;

bool has(const std::uint64_t* sums, std::size_t sum) {
  return (sums[sum / kBits] >> sum % kBits & 1) != 0;
}

/// Adds each sum of `from` plus `more`, as far as there is room.
void add_shifted(std::uint64_t* to, const std::uint64_t* from, std::size_t words, std::size_t more) {
  const std::size_t skipped = more / kBits;
  const std::size_t bits = more % kBits;
  for (std::size_t i = skipped; i < words; ++i) {
    std::uint64_t word = from[i - skipped] << bits;
    if (bits != 0 && i > skipped) word |= from[i - skipped - 1] >> (kBits - bits);
    to[i] |= word;
  }
}

/// The samples of one dataset that two shards hold. The first shard gets `wanted` of them.
struct Group {
  std::vector<std::uint32_t> samples{};  // indices into the held ones
  std::size_t wanted = 0;
  Nanoseconds shortest = 0;
  std::vector<std::size_t> lengths{};  // beyond the shortest, in steps
  std::vector<std::uint64_t>
      reached{};  // by samples that were looked at, and by those that were chosen of them
};

/// Chooses of all groups together so that the lengths of the chosen samples come as near to a sum as they
/// can.
class Choice {
 public:
  Choice(std::span<const HeldSample> held, std::vector<Group>&& groups)
      : held_(held), groups_(std::move(groups)) {}

  /// False if there is nothing to choose from, or if it takes too much time and memory.
  bool prepare() {
    if (groups_.empty()) return false;
    constexpr Nanoseconds kFinest = 250'000;
    constexpr Nanoseconds kCoarsest = 4'000'000;
    for (step_ = kFinest; step_ <= kCoarsest; step_ *= 2) {
      if (measure()) return true;
    }
    return false;
  }

  /// The chosen samples, by their indices into the held ones.
  std::vector<std::uint32_t> nearest_to(Nanoseconds wanted) {
    Sums sums(words_);
    sums[0] = 1;
    for (Group& group : groups_) {
      wanted -= static_cast<Nanoseconds>(group.wanted) * group.shortest;
      sums = reach(group, sums);
    }
    const auto sum = nearest(sums, std::max<Nanoseconds>(0, (wanted + step_ / 2) / step_));
    std::vector<std::uint32_t> chosen;
    std::size_t left = sum;
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) left = trace(*group, left, chosen);
    return chosen;
  }

 private:
  /// False if the sums have no room in these steps.
  bool measure() {
    constexpr std::size_t kMostWords = std::size_t{2} << 20;
    std::size_t largest = 0;
    std::size_t cells = 0;
    for (Group& group : groups_) {
      group.lengths.clear();
      for (const std::uint32_t sample : group.samples) {
        const Nanoseconds more = held_[sample].duration.count() - group.shortest;
        group.lengths.push_back(static_cast<std::size_t>((more + step_ / 2) / step_));
      }
      std::vector<std::size_t> longest_first = group.lengths;
      std::ranges::sort(longest_first, std::greater<>());
      for (std::size_t i = 0; i < group.wanted; ++i) largest += longest_first[i];
      cells += (group.samples.size() + 1) * (group.wanted + 1);
    }
    words_ = largest / kBits + 1;
    return words_ <= kMostWords / cells;
  }

  std::uint64_t* cell(Group& group, std::size_t looked_at, std::size_t chosen) const {
    return group.reached.data() + (looked_at * (group.wanted + 1) + chosen) * words_;
  }

  /// The sums with the chosen samples of one more group.
  Sums reach(Group& group, const Sums& before) const {
    group.reached.assign((group.samples.size() + 1) * (group.wanted + 1) * words_, 0);
    std::ranges::copy(before, cell(group, 0, 0));
    for (std::size_t i = 0; i < group.samples.size(); ++i) {
      for (std::size_t chosen = 0; chosen <= group.wanted; ++chosen) {
        std::uint64_t* const to = cell(group, i + 1, chosen);
        add_shifted(to, cell(group, i, chosen), words_, 0);
        if (chosen > 0) add_shifted(to, cell(group, i, chosen - 1), words_, group.lengths[i]);
      }
    }
    const std::uint64_t* const all = cell(group, group.samples.size(), group.wanted);
    return {all, all + words_};
  }

  /// Adds the samples of the group that make `sum`, and returns what the groups before it make of it.
  std::size_t trace(Group& group, std::size_t sum, std::vector<std::uint32_t>& chosen) const {
    std::size_t left = group.wanted;
    for (std::size_t i = group.samples.size(); i-- > 0;) {
      if (has(cell(group, i, left), sum)) continue;
      chosen.push_back(group.samples[i]);
      sum -= group.lengths[i];
      --left;
    }
    return sum;
  }

  std::size_t nearest(const Sums& sums, Nanoseconds wanted) const {
    const std::size_t all = words_ * kBits;
    const std::size_t center = std::min(static_cast<std::size_t>(wanted), all - 1);
    for (std::size_t distance = 0; distance < all; ++distance) {
      if (distance <= center && has(sums.data(), center - distance)) return center - distance;
      if (center + distance < all && has(sums.data(), center + distance)) return center + distance;
    }
    return 0;
  }

  std::span<const HeldSample> held_;
  std::vector<Group> groups_;
  Nanoseconds step_ = 0;
  std::size_t words_ = 0;
};

class Pairs {
 public:
  Pairs(Placement& placement, std::span<const HeldSample> held)
      : placement_(placement), held_(held), shards_(placement.totals.size()) {
    for (std::uint32_t i = 0; i < held.size(); ++i) shards_[placement.shard_of[i]].push_back(i);
  }

  void run() {
    constexpr int kMostTurns = 64;
    const Duration wanted = wanted_spread(held_);
    for (int turn = 0; turn < kMostTurns && spread(placement_) > wanted; ++turn) {
      if (!improve_one()) return;
    }
  }

 private:
  Nanoseconds total(std::uint32_t shard) const { return placement_.totals[shard].count(); }

  /// The longest shard with one of the shortest, or the shortest with one of the longest.
  bool improve_one() {
    constexpr std::size_t kPartners = 4;
    std::vector<std::uint32_t> by_time(shards_.size());
    std::iota(by_time.begin(), by_time.end(), 0);
    std::ranges::stable_sort(by_time, {}, [this](std::uint32_t shard) { return total(shard); });
    const std::size_t last = by_time.size() - 1;
    for (std::size_t i = 0; i < std::min(kPartners, last); ++i) {
      if (improve(by_time[last], by_time[i]) || improve(by_time[0], by_time[last - i])) return true;
    }
    return false;
  }

  /// Deals the samples of two shards anew between them, if both then end nearer to each other.
  bool improve(std::uint32_t a, std::uint32_t b) {
    Choice choice(held_, groups_of(a, b));
    if (!choice.prepare()) return false;
    Nanoseconds held_by_a = 0;
    for (const std::uint32_t sample : shards_[a]) held_by_a += held_[sample].duration.count();
    const Nanoseconds fixed = total(a) - held_by_a;
    std::vector<std::uint32_t> chosen = choice.nearest_to((total(a) + total(b)) / 2 - fixed);
    Nanoseconds time = fixed;
    for (const std::uint32_t sample : chosen) time += held_[sample].duration.count();
    const Nanoseconds moved = total(a) - time;
    if (std::abs(total(a) - total(b) - 2 * moved) >= std::abs(total(a) - total(b))) return false;
    place(a, b, std::move(chosen));
    placement_.totals[a] -= Duration(moved);
    placement_.totals[b] += Duration(moved);
    return true;
  }

  std::vector<Group> groups_of(std::uint32_t a, std::uint32_t b) const {
    std::vector<Group> groups(placement_.quotas.size());
    for (const std::uint32_t shard : {a, b}) {
      for (const std::uint32_t sample : shards_[shard]) {
        Group& group = groups[held_[sample].dataset];
        group.samples.push_back(sample);
        group.wanted += shard == a ? 1U : 0U;
      }
    }
    std::erase_if(groups, [](const Group& group) { return group.samples.empty(); });
    for (Group& group : groups) {
      std::ranges::sort(group.samples);
      group.shortest = held_[group.samples.front()].duration.count();
      for (const std::uint32_t sample : group.samples)
        group.shortest = std::min<Nanoseconds>(group.shortest, held_[sample].duration.count());
    }
    return groups;
  }

  void place(std::uint32_t a, std::uint32_t b, std::vector<std::uint32_t>&& chosen) {
    std::vector<std::uint32_t> both = std::move(shards_[a]);
    both.insert(both.end(), shards_[b].begin(), shards_[b].end());
    std::ranges::sort(both);
    std::ranges::sort(chosen);
    shards_[b].clear();
    std::ranges::set_difference(both, chosen, std::back_inserter(shards_[b]));
    shards_[a] = std::move(chosen);
    for (const std::uint32_t shard : {a, b}) {
      for (const std::uint32_t sample : shards_[shard]) placement_.shard_of[sample] = shard;
    }
  }

  Placement& placement_;
  std::span<const HeldSample> held_;
  std::vector<std::vector<std::uint32_t>> shards_;  // the held samples of each
};

}  // namespace

void deal_pairs_anew(Placement& placement, std::span<const HeldSample> held) {
  if (placement.totals.size() > 1 && !held.empty()) Pairs(placement, held).run();
}

}  // namespace shardmill::deal
