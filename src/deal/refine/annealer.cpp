#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "base/hash/hash.hpp"
#include "deal/even.hpp"
#include "deal/refine/deal_state.hpp"
#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

__extension__ using Energy = __int128;  // nanoseconds, squared

// Few samples have few deals, and the best is soon found.
constexpr std::uint64_t kMovesPerSample = 80'000;
constexpr std::uint64_t kMostMoves = 16'000'000;
constexpr std::uint64_t kQuickPart = 16;  // a quick search makes a sixteenth of the moves
constexpr std::uint64_t kTightenings = 48;
constexpr std::uint32_t kNearest = 8;  // every sample is tried against this many of similar length

/// The same numbers everywhere.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return base::mix(state_ += 0x9e3779b97f4a7c15); }
  std::uint32_t below(std::size_t end) { return scale(next() >> 32, end); }
  /// A number of [begin, end) that is at most `reach` away from `center`.
  std::uint32_t near(std::uint32_t center, std::uint32_t reach, std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t from = center - std::min(center - begin, reach);
    const std::uint32_t to = center + std::min(end - 1 - center, reach);
    return from + below(to - from + 1);
  }

 private:
  static std::uint32_t scale(std::uint64_t bits, std::size_t end) {
    return static_cast<std::uint32_t>(bits * end >> 32);
  }

  std::uint64_t state_;
};

/// The audio times that a shard may have without being pulled anywhere, as distances from the mean.
struct Band {
  Nanoseconds low = 0;
  Nanoseconds high = 0;

  Nanoseconds outside(Nanoseconds time) const {
    return time > high ? time - high : time < low ? low - time : 0;
  }
  Energy energy(Nanoseconds time) const {
    const Energy distance = outside(time);
    return distance * distance;
  }
};

/// Moves samples between shards at random. A move that brings their times closer to a band is always made.
/// Other moves are made the more rarely the more they cost, and more rarely as the search cools down.
///
/// With a band of no width this is simulated annealing of the variance. That finds where the long samples
/// have to go, but it is willing to pay for the worst shard with many others. With a band a little narrower
/// than the best spread so far, all shards within it move freely, and only those at its edges are pulled in.
class Annealer {
 public:
  /// Searches end at a spread of `enough`, and are as fine as `goal` asks for.
  Annealer(DealState& deal, Nanoseconds goal, Nanoseconds enough, std::uint64_t seed)
      : deal_(deal), goal_(goal), enough_(enough), draws_(seed) {}

  /// Searches for the least variance, wherever it begins.
  void anneal(std::uint64_t moves);
  /// Makes the best spread smaller, step by step.
  void tighten(std::uint64_t moves);
  /// The moves that all searches tried.
  std::uint64_t moves() const { return moves_; }

 private:
  /// How a search goes at one moment.
  struct Pace {
    Energy heat{};
    std::uint32_t divisor = 1;     // exchanges are for one of the nearest samples, 1 / divisor of all
    bool seeks_outsiders = false;  // prefers shards outside the band
  };

  Energy typical_deviation() const;
  void set_band(Band band);
  bool is_in_band(std::uint32_t shard) const { return band_.outside(deal_.times()[shard]) == 0; }
  void cool(std::uint64_t moves, Energy hot, Energy cold, Pace pace);
  void try_move(const Pace& pace);
  std::uint32_t choose(const Pace& pace);
  void try_like(std::uint32_t item, const Pace& pace);
  void try_across(std::uint32_t item, const Pace& pace);
  void try_two(std::uint32_t item, const Pace& pace);
  void try_alone(std::uint32_t item, const Pace& pace);
  Energy energy_after(std::uint32_t a, std::uint32_t b, Nanoseconds moved) const {
    return band_.energy(deal_.times()[a] - moved) + band_.energy(deal_.times()[b] + moved);
  }
  bool accepts(std::uint32_t a, std::uint32_t b, Nanoseconds moved, Energy heat);
  bool is_worth(Energy cost, Energy heat);
  void consider();

  DealState& deal_;
  Nanoseconds goal_;
  Nanoseconds enough_;
  Draws draws_;
  Band band_;
  Energy energy_{};          // of all shards
  std::uint64_t moves_ = 0;  // that were tried
};

void Annealer::anneal(std::uint64_t moves) {
  set_band({});
  const Energy cold = Energy{goal_ / 4 + 1} * (goal_ / 4 + 1);
  cool(moves, std::max(typical_deviation(), cold), cold, {});
}

/// How far a sample is from the middle one, squared.
Energy Annealer::typical_deviation() const {
  const Nanoseconds middle = deal_.item(deal_.by_length(deal_.size() / 2)).duration;
  Energy sum = 0;
  for (std::uint32_t i = 0; i < deal_.size(); ++i) sum += std::abs(deal_.item(i).duration - middle);
  const Energy mean = sum / deal_.size();
  return mean * mean;
}

void Annealer::tighten(std::uint64_t moves) {
  Nanoseconds step = deal_.best_spread() / 4;
  for (std::uint64_t i = 0; i < kTightenings && deal_.best_spread() > enough_; ++i) {
    deal_.go_back();
    const auto [least, most] = std::minmax_element(deal_.times().begin(), deal_.times().end());
    Band band{.low = *least, .high = *most};
    // Which end gives way is unknown, so each is tried.
    if (i % 3 != 1) band.low += i % 3 == 0 ? step / 2 : step;
    if (i % 3 != 2) band.high -= i % 3 == 0 ? step / 2 : step;
    set_band(band);
    const Nanoseconds before = deal_.best_spread();
    const Energy wide = Energy{step + 1} * (step + 1);
    cool(moves / kTightenings, wide / 2 + 1, wide / 256 + 1, {.divisor = 4, .seeks_outsiders = true});
    const Nanoseconds best = deal_.best_spread();
    step = best < before ? std::min(step * 5 / 4, best / 4) : step * 4 / 5;
    if (step < goal_ / 4 || step < best >> 12) step = best / 8;
  }
}

void Annealer::set_band(Band band) {
  band_ = band;
  energy_ = 0;
  for (const Nanoseconds time : deal_.times()) energy_ += band_.energy(time);
}

/// Tries `moves` moves, while the heat falls from `hot` to `cold` in halves. The lengths of the samples that
/// are exchanged come closer to each other at the same pace.
void Annealer::cool(std::uint64_t moves, Energy hot, Energy cold, Pace pace) {
  std::uint64_t levels = 1;
  for (Energy heat = hot; heat / 2 > cold; heat /= 2) ++levels;
  const std::uint32_t first_divisor = pace.divisor;
  for (std::uint64_t level = 0; level < levels; ++level) {
    pace.heat = std::max<Energy>(hot >> level, 1);
    pace.divisor = first_divisor << std::min<std::uint64_t>(level / 2, 24);
    for (const std::uint64_t end = moves_ + moves / levels; moves_ < end; ++moves_) {
      if (deal_.best_spread() <= enough_ || energy_ == 0) return;
      try_move(pace);
    }
  }
}

void Annealer::try_move(const Pace& pace) {
  const std::uint32_t item = choose(pace);
  const std::uint32_t kind = draws_.below(8);
  if (kind == 0 && deal_.has_longer_shards()) return try_alone(item, pace);
  if (kind <= 2 && deal_.datasets() > 1) return try_across(item, pace);
  if (kind == 3) return try_two(item, pace);
  try_like(item, pace);
}

std::uint32_t Annealer::choose(const Pace& pace) {
  constexpr int kTries = 4;
  const std::uint32_t item = draws_.below(deal_.size());
  if (!pace.seeks_outsiders || draws_.below(2) == 0) return item;
  std::uint32_t shard = deal_.item(item).shard;
  for (int i = 0; i < kTries && is_in_band(shard); ++i) shard = draws_.below(deal_.times().size());
  const auto items = deal_.in_shard(shard);
  return items.empty() ? item : items[draws_.below(items.size())];
}

/// An exchange with a sample of the same dataset.
void Annealer::try_like(std::uint32_t item, const Pace& pace) {
  const auto& from = deal_.item(item);
  const auto range = deal_.dataset(from.dataset);
  const std::uint32_t reach = std::max(kNearest, (range.end - range.begin) / pace.divisor);
  const std::uint32_t other = draws_.near(item, reach, range.begin, range.end);
  const auto& to = deal_.item(other);
  if (from.shard == to.shard || from.duration == to.duration) return;
  if (!accepts(from.shard, to.shard, from.duration - to.duration, pace.heat)) return;
  deal_.exchange(item, other);
  consider();
}

/// An exchange with a sample of another dataset, where each shard gives away an extra sample.
void Annealer::try_across(std::uint32_t item, const Pace& pace) {
  const std::uint32_t reach = std::max(kNearest, deal_.size() / pace.divisor);
  const std::uint32_t other = deal_.by_length(draws_.near(deal_.place(item), reach, 0, deal_.size()));
  const auto& from = deal_.item(item);
  const auto& to = deal_.item(other);
  if (from.shard == to.shard || from.dataset == to.dataset) return;
  if (!deal_.may_leave(item, to.shard) || !deal_.may_leave(other, from.shard)) return;
  if (!accepts(from.shard, to.shard, from.duration - to.duration, pace.heat)) return;
  deal_.exchange(item, other);
  consider();
}

/// An exchange with any sample of the same dataset, together with the one between the same shards that makes
/// up for it best. Where a dataset has only a few lengths, one exchange alone moves too much.
void Annealer::try_two(std::uint32_t item, const Pace& pace) {
  constexpr std::size_t kMost = 12;            // samples of a shard that are looked at
  constexpr std::uint64_t kPairsPerMove = 16;  // take as long as a move
  const auto range = deal_.dataset(deal_.item(item).dataset);
  const std::uint32_t other = range.begin + draws_.below(range.end - range.begin);
  const std::uint32_t a = deal_.item(item).shard;
  const std::uint32_t b = deal_.item(other).shard;
  if (a == b) return;
  const Nanoseconds first = deal_.item(item).duration - deal_.item(other).duration;
  const auto of_a = deal_.in_shard(a);
  const auto of_b = deal_.in_shard(b);
  const std::size_t skip_a = draws_.below(of_a.size());
  const std::size_t skip_b = draws_.below(of_b.size());
  struct Second {
    Energy energy{};
    Nanoseconds moved = 0;  // by both exchanges
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  std::optional<Second> best;
  for (std::size_t i = 0; i < std::min(kMost, of_a.size()); ++i) {
    const std::uint32_t from = of_a[(skip_a + i) % of_a.size()];
    for (std::size_t j = 0; j < std::min(kMost, of_b.size()); ++j) {
      const std::uint32_t to = of_b[(skip_b + j) % of_b.size()];
      if (deal_.item(from).dataset != deal_.item(to).dataset || from == item || to == other) continue;
      const Nanoseconds moved = first + deal_.item(from).duration - deal_.item(to).duration;
      const Energy energy = energy_after(a, b, moved);
      if (moved != 0 && (!best || energy < best->energy)) best = {energy, moved, from, to};
    }
  }
  moves_ += std::min(kMost, of_a.size()) * std::min(kMost, of_b.size()) / kPairsPerMove;
  if (!best || !accepts(a, b, best->moved, pace.heat)) return;
  deal_.exchange(item, other);
  deal_.exchange(best->from, best->to);
  consider();
}

/// A sample goes to a shard that has one less, of its dataset and in all.
void Annealer::try_alone(std::uint32_t item, const Pace& pace) {
  const std::uint32_t from = deal_.item(item).shard;
  const std::uint32_t to = draws_.below(deal_.times().size());
  if (!deal_.may_lengthen(from, to) || !deal_.may_leave(item, to)) return;
  if (!accepts(from, to, deal_.item(item).duration, pace.heat)) return;
  deal_.move(item, to);
  consider();
}

/// Decides whether audio time moves from shard `a` to shard `b`.
bool Annealer::accepts(std::uint32_t a, std::uint32_t b, Nanoseconds moved, Energy heat) {
  const Energy cost = energy_after(a, b, moved) - energy_after(a, b, 0);
  if (!is_worth(cost, heat)) return false;
  energy_ += cost;
  return true;
}

/// True with a probability of about exp(-cost / heat). Integers only: they are the same on every machine.
bool Annealer::is_worth(Energy cost, Energy heat) {
  if (cost <= 0) return true;
  constexpr int kFraction = 10;  // bits
  const std::uint64_t draw = draws_.next() | 1;
  const int zeros = std::countl_zero(draw);
  const std::uint64_t mantissa = zeros > 52 ? 0 : draw << (zeros + 1) >> (64 - kFraction);
  const std::uint64_t minus_log2 = (static_cast<std::uint64_t>(zeros + 1) << kFraction) - mantissa;
  return cost << kFraction <= heat * static_cast<std::int64_t>(minus_log2) * 7 / 10;  // ln 2 is about 0.7
}

/// Keeps the deal if it is the best one. Its spread is only computed if the energy allows a better one: in
/// that, no shard is farther outside the band than the excess of the best spread over its width.
void Annealer::consider() {
  const Energy excess = deal_.best_spread() - (band_.high - band_.low);
  if (excess > 0 && energy_ >= excess * excess * static_cast<std::int64_t>(deal_.times().size())) return;
  deal_.keep_if_best();
}

/// A lower bound of the spread. 0 if it is unknown, because some samples are dealt already or the counts are
/// not those that least_spread() asks for.
Duration least_possible(const Placement& placement, std::span<const HeldSample> held) {
  const Duration all = std::accumulate(placement.totals.begin(), placement.totals.end(), Duration{});
  const Duration of_held =
      std::accumulate(held.begin(), held.end(), Duration{},
                      [](Duration sum, const HeldSample& sample) { return sum + sample.duration; });
  const bool are_alike = std::ranges::all_of(placement.quotas, [](const Quota& quota) {
    const auto [fewest, most] = std::ranges::minmax(quota.samples);
    return most - fewest <= 1;
  });
  return all == of_held && are_alike ? least_spread(held, placement.totals.size()).spread : Duration{};
}

}  // namespace

std::uint64_t most_moves(std::size_t samples, Effort effort) {
  const std::uint64_t moves = std::min(kMostMoves, kMovesPerSample * samples);
  return effort == Effort::quick ? moves / kQuickPart : moves;
}

std::uint64_t anneal(Placement& placement, std::span<const HeldSample> held, Effort effort) {
  const Duration wanted = wanted_spread(held);
  if (held.empty() || spread(placement) <= wanted) return 0;
  constexpr int kFar = 16;
  const Duration least = least_possible(placement, held);
  const bool are_unequal = least > kFar * wanted;  // a sample may be longer than a shard's share
  // No deal is better than the least spread; a millisecond more is as good.
  const Duration enough = least > wanted ? least + std::chrono::milliseconds(1) : wanted;
  const std::uint64_t moves = most_moves(held.size(), effort);
  const Placement start = placement;
  std::uint64_t tried = 0;
  // What refine() adds to a search takes no longer than the search.
  const auto search = [&](const Placement& from, std::uint64_t seed, auto how) {
    Placement other = from;
    DealState deal(other, held);
    Annealer annealer(deal, wanted.count(), enough.count(), seed);
    how(annealer);
    tried += annealer.moves();
    deal.store(other);
    tried += refine(other, held, annealer.moves());
    const Duration found = spread(other);
    if (found < spread(placement)) placement = std::move(other);
    return found;
  };
  const std::uint64_t longest = moves / 8;
  std::uint64_t left = moves / 4 * 3;
  bool is_least = false;
  for (std::uint64_t seed = 0; left > 0 && spread(placement) > enough && !is_least; ++seed) {
    // Short searches end in more places, long ones in better ones.
    const std::uint64_t each = std::min(left, longest >> seed % 4 * 2);
    left -= each;
    const Duration before = spread(placement);
    const Duration found = search(start, seed, [&](Annealer& annealer) {
      annealer.anneal(each / 2);
      annealer.tighten(each / 2);
    });
    // Two independent searches found the same spread: a third one would hardly find a smaller one.
    is_least = seed > 0 && are_unequal && std::abs((found - before).count()) <= wanted.count();
  }
  if (spread(placement) > enough && !is_least)
    search(placement, moves, [&](Annealer& annealer) { annealer.tighten(moves / 4); });
  return tried;
}

}  // namespace shardmill::deal
