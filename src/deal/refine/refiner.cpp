#include "deal/refine/refiner.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace shardmill::deal {
namespace {

constexpr Nanoseconds kGoal = 1'000'000;      // refining ends at this spread
constexpr std::size_t kPartners = 32;         // shards tried against the worst one
constexpr std::size_t kSamplesTried = 64;     // of each shard; more only take time
constexpr std::size_t kExchangesTried = 256;  // in combination with others
constexpr std::size_t kHardCases = 256;       // how often the thorough search is worth its time

struct Item {
  Nanoseconds duration = 0;
  std::uint32_t dataset = 0;
  std::uint32_t index = 0;  // among the held samples
};

/// Sample `from` of one shard for sample `to` of another.
struct Exchange {
  Nanoseconds moved = 0;  // audio time that changes shards
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool across = false;  // the samples are of different datasets
};

/// Up to three exchanges between the same two shards, which are made together.
struct Bundle {
  std::array<Exchange, 3> exchanges{};
  std::size_t size = 0;
  Nanoseconds moved = 0;

  /// False, and nothing is added, when the exchange shares a sample with another one, or would be the second
  /// between datasets.
  bool add(const Exchange& exchange) {
    for (std::size_t i = 0; i < size; ++i) {
      const Exchange& other = exchanges[i];
      if (exchange.from == other.from || exchange.to == other.to || (exchange.across && other.across)) {
        return false;
      }
    }
    exchanges[size++] = exchange;
    moved += exchange.moved;
    return true;
  }
};

/// The bundle found so far that brings the worst shard and a partner nearest to the mean.
class Best {
 public:
  explicit Best(Nanoseconds worst_error)
      : worst_error_(worst_error), error_(std::abs(worst_error)), partner_error_(0) {}

  void set_partner(std::uint32_t partner, Nanoseconds error) {
    candidate_ = partner;
    partner_error_ = error;
  }
  Nanoseconds wanted() const { return (worst_error_ - partner_error_) / 2; }
  bool beaten_by(Nanoseconds moved) const { return error_after(moved) < error_; }
  void take(const Bundle& bundle) {
    bundle_ = bundle;
    partner_ = candidate_;
    error_ = error_after(bundle.moved);
  }

  bool found() const { return bundle_.size > 0; }
  Nanoseconds error() const { return error_; }
  std::uint32_t partner() const { return partner_; }
  const Bundle& bundle() const { return bundle_; }

 private:
  Nanoseconds error_after(Nanoseconds moved) const {
    return std::max(std::abs(worst_error_ - moved), std::abs(partner_error_ + moved));
  }

  Nanoseconds worst_error_;
  Nanoseconds error_;  // the larger error of the two shards
  Nanoseconds partner_error_;
  std::uint32_t candidate_ = 0;
  std::uint32_t partner_ = 0;
  Bundle bundle_;
};

/// The possible exchanges between two shards; finds those that together move about the wanted audio time.
class Exchanges {
 public:
  void clear() { all_.clear(); }
  std::size_t size() const { return all_.size(); }
  void add(const Exchange& exchange) { all_.push_back(exchange); }
  /// Keeps only as many exchanges as are worth combining, evenly chosen, and sorts them by the audio time
  /// they move. (Sorting all of them before choosing takes ten times as long and finds nothing better.)
  void prepare_to_combine() {
    if (all_.size() > kExchangesTried) {
      const std::size_t step = all_.size() / kExchangesTried;
      // Takes one of each step, but at changing places in it: a fixed place would leave out most samples of
      // one shard.
      for (std::size_t i = 0; i < kExchangesTried; ++i) {
        all_[i] = all_[i * all_.size() / kExchangesTried + i % step];
      }
      all_.resize(kExchangesTried);
    }
    std::sort(all_.begin(), all_.end(), [](const Exchange& x, const Exchange& y) {
      return std::tuple(x.moved, x.from, x.to) < std::tuple(y.moved, y.from, y.to);
    });
  }

  /// Each of these offers its findings to `best`. The last two need prepare_to_combine().
  void try_singles(Best& best) const {
    for (const Exchange& exchange : all_) {
      if (best.beaten_by(exchange.moved)) best.take({{exchange}, 1, exchange.moved});
    }
  }
  void try_pairs(Best& best, const Bundle& with = {}) const {
    if (all_.empty()) return;
    std::size_t low = 0;
    std::size_t high = all_.size() - 1;
    while (low < high) {
      const Nanoseconds moved = with.moved + all_[low].moved + all_[high].moved;
      if (best.beaten_by(moved)) {
        Bundle bundle = with;
        if (bundle.add(all_[low]) && bundle.add(all_[high])) best.take(bundle);
      }
      if (moved < best.wanted()) {
        ++low;
      } else {
        --high;
      }
    }
  }
  void try_triples(Best& best) const {
    for (const Exchange& exchange : all_) try_pairs(best, {{exchange}, 1, exchange.moved});
  }

 private:
  std::vector<Exchange> all_;
};

/// Which of a shard's items to try: all of them, or some from everywhere among them.
std::vector<std::uint32_t> choose(const std::vector<Item>& items) {
  std::vector<std::uint32_t> chosen(std::min(items.size(), kSamplesTried));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = static_cast<std::uint32_t>(i * items.size() / chosen.size());
  }
  return chosen;
}

class Refiner {
 public:
  Refiner(Placement& placement, std::span<const HeldSample> held);
  void run(std::uint64_t most_work);
  std::uint64_t work() const {
    constexpr std::uint64_t kStepsPerMove = 64;
    return steps_ / kStepsPerMove;
  }

 private:
  enum class Effort { usual, most };

  Nanoseconds total(std::uint32_t shard) const { return placement_.totals[shard].count(); }
  Nanoseconds error(std::uint32_t shard) const { return total(shard) - mean_; }
  void set_mean();
  void set_aside(std::uint32_t shard);
  Nanoseconds good_enough_for(std::uint32_t worst) const;
  bool improve(std::uint32_t worst, Effort effort);
  void try_partner(std::uint32_t worst, std::uint32_t partner, Effort effort, Best& best);
  void list_exchanges(std::uint32_t a, std::uint32_t b);
  void carry_out(std::uint32_t a, std::uint32_t b, const Bundle& bundle);

  Placement& placement_;
  std::vector<std::vector<Item>> items_;                   // held samples of each shard
  std::set<std::pair<Nanoseconds, std::uint32_t>> order_;  // totals and shards, without those set aside
  Nanoseconds mean_ = 0;                                   // of these shards
  Nanoseconds goal_;
  Exchanges exchanges_;
  std::uint64_t steps_ = 0;  // exchanges that were tried in combination with others
};

Refiner::Refiner(Placement& placement, std::span<const HeldSample> held)
    : placement_(placement), items_(placement.totals.size()), goal_(wanted_spread(held).count()) {
  for (std::uint32_t i = 0; i < held.size(); ++i) {
    items_[placement.shard_of[i]].push_back({held[i].duration.count(), held[i].dataset, i});
  }
  for (std::uint32_t shard = 0; shard < placement.totals.size(); ++shard) order_.emplace(total(shard), shard);
  set_mean();
}

void Refiner::run(std::uint64_t most_work) {
  std::size_t hard_cases = 0;
  while (order_.rbegin()->first - order_.begin()->first > goal_ && work() < most_work) {
    const auto [least, emptiest] = *order_.begin();
    const auto [most, fullest] = *order_.rbegin();
    const bool full_is_worst = most - mean_ > mean_ - least;
    const std::uint32_t worst = full_is_worst ? fullest : emptiest;
    if (improve(worst, Effort::usual)) continue;
    if (++hard_cases > kHardCases) return;
    if (improve(worst, Effort::most) || improve(full_is_worst ? emptiest : fullest, Effort::most)) continue;
    set_aside(worst);
  }
}

/// Sets aside a shard that cannot be improved, so that the others can still be made even.
void Refiner::set_aside(std::uint32_t shard) {
  order_.erase({total(shard), shard});
  set_mean();
}

void Refiner::set_mean() {
  const Nanoseconds least = order_.begin()->first;
  Nanoseconds above = 0;
  for (const auto& [total, shard] : order_) above += total - least;
  mean_ = least + above / static_cast<Nanoseconds>(order_.size());
}

/// An error of both shards below which no better exchange is looked for.
Nanoseconds Refiner::good_enough_for(std::uint32_t worst) const {
  return std::max(goal_ / 2, std::abs(error(worst)) / 8);
}

/// Exchanges samples between `worst` and another shard so that both come nearer to the mean than `worst` was.
/// False when no exchange does that.
bool Refiner::improve(std::uint32_t worst, Effort effort) {
  const Nanoseconds good_enough = good_enough_for(worst);
  Best best(error(worst));
  std::size_t tried = 0;
  const auto try_partners = [&](auto partner, auto end) {
    for (; partner != end && tried < kPartners && best.error() > good_enough; ++partner, ++tried) {
      if (partner->second != worst) try_partner(worst, partner->second, effort, best);
    }
  };
  if (error(worst) > 0) {
    try_partners(order_.begin(), order_.end());
  } else {
    try_partners(order_.rbegin(), order_.rend());
  }
  if (best.found()) carry_out(worst, best.partner(), best.bundle());
  return best.found();
}

void Refiner::try_partner(std::uint32_t worst, std::uint32_t partner, Effort effort, Best& best) {
  const Nanoseconds good_enough = good_enough_for(worst);
  list_exchanges(worst, partner);
  best.set_partner(partner, error(partner));
  exchanges_.try_singles(best);
  if (best.error() <= good_enough) return;
  exchanges_.prepare_to_combine();
  exchanges_.try_pairs(best);
  steps_ += exchanges_.size();
  if (effort == Effort::usual || best.error() <= good_enough) return;
  exchanges_.try_triples(best);
  steps_ += exchanges_.size() * exchanges_.size();
}

void Refiner::list_exchanges(std::uint32_t a, std::uint32_t b) {
  exchanges_.clear();
  const auto to_items = choose(items_[b]);
  for (const std::uint32_t i : choose(items_[a])) {
    const Item& from = items_[a][i];
    const auto& from_extra = placement_.quotas[from.dataset].extra;
    const bool may_leave = from_extra[a] && !from_extra[b];
    for (const std::uint32_t j : to_items) {
      const Item& to = items_[b][j];
      const auto& to_extra = placement_.quotas[to.dataset].extra;
      const bool across = from.dataset != to.dataset;
      if (across && !(may_leave && to_extra[b] && !to_extra[a])) continue;
      exchanges_.add({from.duration - to.duration, i, j, across});
    }
  }
}

void Refiner::carry_out(std::uint32_t a, std::uint32_t b, const Bundle& bundle) {
  order_.erase({total(a), a});
  order_.erase({total(b), b});
  for (std::size_t i = 0; i < bundle.size; ++i) {
    Item& from = items_[a][bundle.exchanges[i].from];
    Item& to = items_[b][bundle.exchanges[i].to];
    if (bundle.exchanges[i].across) {
      placement_.quotas[from.dataset].extra[a] = placement_.quotas[to.dataset].extra[b] = false;
      placement_.quotas[from.dataset].extra[b] = placement_.quotas[to.dataset].extra[a] = true;
    }
    std::swap(from, to);
    placement_.shard_of[from.index] = a;
    placement_.shard_of[to.index] = b;
  }
  placement_.totals[a] -= Duration(bundle.moved);
  placement_.totals[b] += Duration(bundle.moved);
  order_.emplace(total(a), a);
  order_.emplace(total(b), b);
}

}  // namespace

Duration spread(const Placement& placement) {
  const auto [least, most] = std::minmax_element(placement.totals.begin(), placement.totals.end());
  return *most - *least;
}

Duration wanted_spread(std::span<const HeldSample> held) {
  Nanoseconds step = 0;  // all differences are multiples of this, so no smaller spread can be reached
  for (const HeldSample& sample : held) {
    step = std::gcd(step, (sample.duration - held.front().duration).count());
  }
  return Duration(std::max(kGoal, step));
}

std::uint64_t refine(Placement& placement, std::span<const HeldSample> held, std::uint64_t most_work) {
  Refiner refiner(placement, held);
  refiner.run(most_work);
  return refiner.work();
}

namespace {

/// Samples of neighbouring durations: one for each shard whose quota is at least `level`.
struct Handful {
  std::uint32_t dataset = 0;
  std::uint32_t level = 0;
  std::span<const std::uint32_t> samples;  // longest first
  Duration range{};                        // difference between the shortest and the longest
};

/// For each dataset, the indices of its samples, longest first.
std::vector<std::vector<std::uint32_t>> sort_by_dataset(std::span<const HeldSample> held,
                                                        std::span<const std::uint32_t> samples,
                                                        std::size_t datasets) {
  std::vector<std::vector<std::uint32_t>> sorted(datasets);
  for (const std::uint32_t sample : samples) sorted[held[sample].dataset].push_back(sample);
  for (auto& of_dataset : sorted) {
    std::sort(of_dataset.begin(), of_dataset.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(-held[a].duration, a) < std::tuple(-held[b].duration, b);
    });
  }
  return sorted;
}

std::vector<Handful> make_handfuls(std::span<const HeldSample> held,
                                   const std::vector<std::vector<std::uint32_t>>& sorted,
                                   const std::vector<Quota>& quotas) {
  std::vector<Handful> handfuls;
  for (std::uint32_t dataset = 0; dataset < quotas.size(); ++dataset) {
    const std::vector<std::uint32_t>& quota = quotas[dataset].samples;
    std::span<const std::uint32_t> rest = sorted[dataset];
    for (std::uint32_t level = *std::max_element(quota.begin(), quota.end()); level > 0; --level) {
      const auto takers = static_cast<std::size_t>(
          std::count_if(quota.begin(), quota.end(), [&](std::uint32_t samples) { return samples >= level; }));
      const auto samples = rest.first(takers);
      rest = rest.subspan(takers);
      handfuls.push_back(
          {dataset, level, samples, held[samples.front()].duration - held[samples.back()].duration});
    }
  }
  std::stable_sort(handfuls.begin(), handfuls.end(),
                   [](const Handful& a, const Handful& b) { return a.range > b.range; });
  return handfuls;
}

}  // namespace

// Coarse corrections come first and fine ones last.
void deal_in_handfuls(Placement& placement, std::span<const HeldSample> held,
                      std::span<const std::uint32_t> samples) {
  const auto sorted = sort_by_dataset(held, samples, placement.quotas.size());
  std::vector<std::uint32_t> takers;
  for (const Handful& handful : make_handfuls(held, sorted, placement.quotas)) {
    const auto& quota = placement.quotas[handful.dataset].samples;
    takers.clear();
    for (std::uint32_t shard = 0; shard < quota.size(); ++shard) {
      if (quota[shard] >= handful.level) takers.push_back(shard);
    }
    std::sort(takers.begin(), takers.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(placement.totals[a], a) < std::tuple(placement.totals[b], b);
    });
    for (std::size_t i = 0; i < takers.size(); ++i) {
      placement.shard_of[handful.samples[i]] = takers[i];
      placement.totals[takers[i]] += held[handful.samples[i]].duration;
    }
  }
}

}  // namespace shardmill::deal
