#include "shardmill/deal/refiner.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

namespace shardmill::deal {
namespace {

using Nanoseconds = std::int64_t;

constexpr Nanoseconds kGoal = 1'000'000;   // spread at which refining ends
constexpr std::size_t kPartners = 32;      // shards tried against the worst one
constexpr std::size_t kSamplesTried = 24;  // of each shard; more would only take time
constexpr std::uint64_t kStepsPerShard = 64;

struct Item {
  Nanoseconds duration = 0;
  std::uint32_t dataset = 0;
  std::uint32_t index = 0;  // into the held samples
};

/// Sample `from` of one shard against sample `to` of another.
struct Exchange {
  Nanoseconds moved = 0;  // audio time that changes sides
  std::uint16_t from = 0;
  std::uint16_t to = 0;
  bool across = false;  // between datasets
};

/// Up to two exchanges between the same two shards.
struct Deal {
  Nanoseconds moved = 0;
  std::uint8_t exchanges = 0;
  Exchange exchange[2];
};

class Refiner {
 public:
  Refiner(std::span<Duration> totals, std::vector<Quota> quotas, std::span<const HeldSample> held,
          std::span<std::uint32_t> shard_of)
      : totals_(totals), quotas_(std::move(quotas)), shard_of_(shard_of), items_(totals.size()) {
    for (std::uint32_t i = 0; i < held.size(); ++i) {
      items_[shard_of[i]].push_back({held[i].duration.count(), held[i].dataset, i});
    }
    const Nanoseconds least = std::min_element(totals.begin(), totals.end())->count();
    Nanoseconds above = 0;
    for (const Duration total : totals) above += total.count() - least;
    mean_ = least + above / static_cast<Nanoseconds>(totals.size());
    for (std::uint32_t shard = 0; shard < totals.size(); ++shard) order_.emplace(error(shard), shard);
  }

  void run() {
    for (std::uint64_t step = 0; step < kStepsPerShard * totals_.size(); ++step) {
      const auto [least, emptiest] = *order_.begin();
      const auto [most, fullest] = *order_.rbegin();
      if (most - least <= kGoal) return;
      const bool worst_is_full = most > -least;
      if (!improve(worst_is_full ? fullest : emptiest) && !improve(worst_is_full ? emptiest : fullest))
        return;
    }
  }

 private:
  Nanoseconds error(std::uint32_t shard) const { return totals_[shard].count() - mean_; }

  bool improve(std::uint32_t worst);
  void list_exchanges(std::uint32_t a, std::uint32_t b);
  Deal best_single(Nanoseconds wanted) const;
  Deal best_double(Nanoseconds wanted);
  void apply(std::uint32_t a, std::uint32_t b, const Deal& deal);

  std::span<Duration> totals_;
  std::vector<Quota> quotas_;
  std::span<std::uint32_t> shard_of_;
  std::vector<std::vector<Item>> items_;  // held samples of each shard
  Nanoseconds mean_ = 0;
  std::set<std::pair<Nanoseconds, std::uint32_t>> order_;  // shards by their distance from the mean
  std::vector<Exchange> exchanges_;
};

/// Finds the shard and the exchange that bring both sides nearest to the mean; false when none helps.
bool Refiner::improve(std::uint32_t worst) {
  const Nanoseconds worst_error = error(worst);
  const Nanoseconds good_enough = std::max(kGoal / 2, std::abs(worst_error) / 8);
  Nanoseconds best_error = std::abs(worst_error);
  std::uint32_t best_partner = worst;
  Deal best;
  const auto try_partner = [&](std::uint32_t partner) {
    if (partner == worst) return false;
    const Nanoseconds partner_error = error(partner);
    const Nanoseconds wanted = (worst_error - partner_error) / 2;
    const auto consider = [&](const Deal& deal) {
      const Nanoseconds left =
          std::max(std::abs(worst_error - deal.moved), std::abs(partner_error + deal.moved));
      if (deal.exchanges == 0 || left >= best_error) return;
      best_error = left;
      best_partner = partner;
      best = deal;
    };
    list_exchanges(worst, partner);
    consider(best_single(wanted));
    if (best_error > good_enough) consider(best_double(wanted));
    return best_error <= good_enough;
  };
  std::size_t tried = 0;
  if (worst_error > 0) {
    for (auto it = order_.begin(); it != order_.end() && tried < kPartners; ++it, ++tried) {
      if (try_partner(it->second)) break;
    }
  } else {
    for (auto it = order_.rbegin(); it != order_.rend() && tried < kPartners; ++it, ++tried) {
      if (try_partner(it->second)) break;
    }
  }
  if (best_partner == worst) return false;
  apply(worst, best_partner, best);
  return true;
}

void Refiner::list_exchanges(std::uint32_t a, std::uint32_t b) {
  exchanges_.clear();
  const std::size_t from_end = std::min(items_[a].size(), kSamplesTried);
  const std::size_t to_end = std::min(items_[b].size(), kSamplesTried);
  for (std::size_t i = 0; i < from_end; ++i) {
    const Item& from = items_[a][i];
    const auto& from_extra = quotas_[from.dataset].extra;
    const bool may_leave = from_extra[a] && !from_extra[b];
    for (std::size_t j = 0; j < to_end; ++j) {
      const Item& to = items_[b][j];
      const bool across = from.dataset != to.dataset;
      if (across) {
        const auto& to_extra = quotas_[to.dataset].extra;
        if (!may_leave || !to_extra[b] || to_extra[a]) continue;
      }
      exchanges_.push_back({from.duration - to.duration, static_cast<std::uint16_t>(i),
                            static_cast<std::uint16_t>(j), across});
    }
  }
}

Deal Refiner::best_single(Nanoseconds wanted) const {
  Deal best;
  for (const Exchange& exchange : exchanges_) {
    if (best.exchanges == 0 || std::abs(exchange.moved - wanted) < std::abs(best.moved - wanted)) {
      best = {exchange.moved, 1, {exchange, {}}};
    }
  }
  return best;
}

Deal Refiner::best_double(Nanoseconds wanted) {
  Deal best;
  if (exchanges_.size() < 2) return best;
  std::sort(exchanges_.begin(), exchanges_.end(), [](const Exchange& x, const Exchange& y) {
    return std::tuple(x.moved, x.from, x.to) < std::tuple(y.moved, y.from, y.to);
  });
  std::size_t low = 0;
  std::size_t high = exchanges_.size() - 1;
  while (low < high) {
    const Exchange& x = exchanges_[low];
    const Exchange& y = exchanges_[high];
    const Nanoseconds moved = x.moved + y.moved;
    if (x.from != y.from && x.to != y.to && !(x.across && y.across) &&
        (best.exchanges == 0 || std::abs(moved - wanted) < std::abs(best.moved - wanted))) {
      best = {moved, 2, {x, y}};
    }
    if (moved < wanted) {
      ++low;
    } else {
      --high;
    }
  }
  return best;
}

void Refiner::apply(std::uint32_t a, std::uint32_t b, const Deal& deal) {
  order_.erase({error(a), a});
  order_.erase({error(b), b});
  for (std::size_t i = 0; i < deal.exchanges; ++i) {
    Item& from = items_[a][deal.exchange[i].from];
    Item& to = items_[b][deal.exchange[i].to];
    if (deal.exchange[i].across) {
      for (const std::uint32_t dataset : {from.dataset, to.dataset}) {
        auto& extra = quotas_[dataset].extra;
        const bool was = extra[a];
        extra[a] = extra[b];
        extra[b] = was;
      }
    }
    std::swap(from, to);
    shard_of_[from.index] = a;
    shard_of_[to.index] = b;
  }
  totals_[a] -= Duration(deal.moved);
  totals_[b] += Duration(deal.moved);
  order_.emplace(error(a), a);
  order_.emplace(error(b), b);
}

}  // namespace

void refine(std::span<Duration> totals, std::vector<Quota> quotas, std::span<const HeldSample> held,
            std::span<std::uint32_t> shard_of) {
  Refiner(totals, std::move(quotas), held, shard_of).run();
}

}  // namespace shardmill::deal
