#include "deal/refine/second_try.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace shardmill::deal {
namespace {

// Work is counted in samples that are placed anew. That is twenty starts for a thousand samples, and no
// second start for very many: those are made even by the first.
constexpr std::size_t kMostWork = 20'000;
constexpr std::size_t kMostStarts = 400;

Duration spread(const Placement& placement) {
  const auto [least, most] = std::minmax_element(placement.totals.begin(), placement.totals.end());
  return *most - *least;
}

class Shaker {
 public:
  explicit Shaker(std::span<const HeldSample> held) : held_(held) {}

  /// Exchanges about a tenth of the samples for others of the same dataset.
  void shake(Placement& placement) {
    const std::size_t exchanges = 2 + held_.size() / 20;
    for (std::size_t i = 0; i < exchanges; ++i) exchange(placement, draw(), draw());
  }

 private:
  std::size_t draw() { return random_() % held_.size(); }
  void exchange(Placement& placement, std::size_t a, std::size_t b) {
    if (held_[a].dataset != held_[b].dataset) return;
    const Duration moved = held_[a].duration - held_[b].duration;
    placement.totals[placement.shard_of[a]] -= moved;
    placement.totals[placement.shard_of[b]] += moved;
    std::swap(placement.shard_of[a], placement.shard_of[b]);
  }

  std::span<const HeldSample> held_;
  std::mt19937_64 random_{1};  // its numbers are the same everywhere, as the standard says
};

}  // namespace

void refine_again(Placement& placement, std::span<const HeldSample> held) {
  if (held.empty()) return;
  const Duration wanted = wanted_spread(held);
  Shaker shaker(held);
  const std::size_t starts = std::min(kMostStarts, kMostWork / held.size());
  for (std::size_t i = 0; i < starts && spread(placement) > wanted; ++i) {
    Placement other = placement;
    shaker.shake(other);
    refine(other, held);
    if (spread(other) < spread(placement)) placement = std::move(other);
  }
}

}  // namespace shardmill::deal
