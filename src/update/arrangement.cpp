#include "update/arrangement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "deal/even.hpp"
#include "deal/rest.hpp"
#include "update/pool.hpp"

namespace shardmill::update {

namespace {

using deal::Effort;
using deal::HeldSample;

// Attempts that deal samples. Most arrangements need one or two; some cannot be reached at all, so the work
// for all attempts together is bounded, too.
constexpr int kMostAttempts = 24;

// A deal that a quick search found is not searched on if its audio times differ by no more than this.
constexpr std::chrono::milliseconds kFineSpread{1};

/// How much the audio times of shards differ that are dealt nothing else.
Duration spread_of(const std::vector<std::uint32_t>& dealt, const std::vector<HeldSample>& held,
                   std::uint32_t shards) {
  std::vector<Duration> times(shards);
  for (std::size_t i = 0; i < held.size(); ++i) times[dealt[i]] += held[i].duration;
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  return *high - *low;
}

/// How many shards are opened after `opened` of them were not enough.
std::size_t more_than(std::size_t opened) {
  return std::max(opened + 1, opened * 3 / 2);
}

class Arranger {
 public:
  Arranger(std::span<const OldShard> old, std::span<const HeldSample> free, const Wishes& wishes,
           const SamplesOf& samples_of)
      : old_(old), free_(free), wishes_(wishes), samples_of_(samples_of), pools_(old, free, wishes) {
    for (std::uint32_t shard = 0; shard < old.size(); ++shard)
      (old[shard].has_lost ? lost_ : others_).push_back(shard);
    put_useful_shards_first();
    must_open_ = lost_;
    moves_left_ = deal::most_moves(samples(), Effort::thorough);
  }

  Arrangement run() {
    if (wishes_.mix == Wishes::Mix::anew || samples() < old_.size()) return rearrange_all(target_shards());
    std::optional<Arrangement> found = with_apart_open();
    if (!found) found = with_some_open();
    const bool is_all = !found;
    if (is_all) found = rearrange_all(target_shards());
    if (!is_even(*found)) {
      found->is_held_back = !is_all && cost_of_all() > most_bytes();
      if (!is_all) {
        if (auto all = even_deal_of_all(*found, target_shards(), Effort::thorough)) return *std::move(all);
      }
      if (auto same = even_deal_to_old_number(*found)) return *std::move(same);
    }
    const std::uint64_t waiting = found->waiting();
    if (is_all || waiting == 0 || cost_of_all() > most_bytes_for_all(waiting)) return *std::move(found);
    const Target target = target_shards();
    return target.waiting < waiting && target.shards <= samples() ? rearrange_all(target) : *std::move(found);
  }

 private:
  struct Target {
    std::uint64_t shards = 0;
    std::uint64_t waiting = 0;
  };

  std::uint64_t samples() const {
    std::uint64_t all = free_.size();
    for (const OldShard& shard : old_) all += shard.samples();
    return all;
  }

  /// Where samples are longer than those in shards, opened shards must give some away, else take some.
  void put_useful_shards_first() {
    const bool gives = free_.empty() || pools_.are_free_samples_longer();
    std::stable_sort(others_.begin(), others_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return gives ? old_[a].samples() > old_[b].samples() : old_[a].samples() < old_[b].samples();
    });
  }

  /// What it costs to open the first `opened` of the shards that lost nothing.
  double bytes_of(std::size_t opened) const {
    double bytes = apart_bytes_;
    for (std::size_t i = 0; i < opened; ++i) bytes += static_cast<double>(old_[others_[i]].bytes);
    return bytes;
  }

  double cost_of_all() const { return bytes_of(others_.size()); }

  /// What dealing all shards again may cost, if `waiting` samples wait otherwise.
  double most_bytes_for_all(std::uint64_t waiting) const {
    if (wishes_.mix == Wishes::Mix::kept) return HUGE_VAL;
    const double share = static_cast<double>(waiting) / static_cast<double>(free_.size());
    return wishes_.limit.value_or(share > Limit::kManyWait ? Limit::kMost : Limit::kUsual) * limit_unit();
  }
  /// The bytes that opening some shards may cost. There is no limit after a removal, unless people set one.
  double most_bytes() const {
    if (wishes_.mix == Wishes::Mix::kept || (!wishes_.limit && !lost_.empty())) return HUGE_VAL;
    return wishes_.limit.value_or(Limit::kUsual) * limit_unit();
  }
  double limit_unit() const {
    double bytes = static_cast<double>(wishes_.free_bytes);
    for (const std::uint32_t shard : lost_) bytes += static_cast<double>(old_[shard].bytes);
    return bytes;
  }

  /// Whether the audio times of the shards are equal.
  bool is_even(const Arrangement& arrangement) const {
    std::vector<Duration> times(arrangement.shards);
    for (std::uint32_t shard = 0; shard < old_.size(); ++shard) {
      if (!std::binary_search(arrangement.opened.begin(), arrangement.opened.end(), shard))
        times[shard] = old_[shard].time;
    }
    std::vector<HeldSample> held;
    add_opened(arrangement.opened, held);
    held.insert(held.end(), free_.begin(), free_.end());
    std::vector<std::uint32_t> to = arrangement.opened_to;
    to.insert(to.end(), arrangement.free_to.begin(), arrangement.free_to.end());
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (to[i] != kNoShard) times[to[i]] += held[i].duration;
    }
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    const Duration all = std::accumulate(times.begin(), times.end(), Duration{});
    return *high - *low <= tolerance(all / arrangement.shards);
  }

  /// An earlier update may have left the times so unlike that only a new deal of all shards makes them equal.
  /// nullopt if the limit forbids it, if it does not help, or if more samples than in `found` would wait.
  std::optional<Arrangement> even_deal_of_all(const Arrangement& found, const Target& target,
                                              Effort effort) const {
    if (found.is_held_back || cost_of_all() > most_bytes()) return std::nullopt;
    if (target.waiting > found.waiting() || target.shards > samples()) return std::nullopt;
    Arrangement all = rearrange_all(target, effort);
    return is_even(all) ? std::optional(std::move(all)) : std::nullopt;
  }

  /// Shards of very few samples may have no equal deal, but one with more in each shard. So the number of
  /// shards does not grow if that makes them equal, unless one gets more than twice as many samples.
  std::optional<Arrangement> even_deal_to_old_number(const Arrangement& found) const {
    const std::uint64_t shards = old_.size();
    const std::uint64_t all = samples();
    if (found.shards <= shards || shards % wishes_.multiple_of != 0) return std::nullopt;
    if (static_cast<double>(all) > 2 * wishes_.shard_samples * static_cast<double>(shards))
      return std::nullopt;
    const Target target{.shards = shards, .waiting = wishes_.equal ? all % shards : 0};
    return even_deal_of_all(found, target, Effort::quick);
  }

  /// The shards whose time is unlike that of most: an earlier update left them so for its limit.
  std::vector<std::uint32_t> shards_apart() const {
    std::vector<Duration> times;
    for (const std::uint32_t shard : others_) times.push_back(old_[shard].time);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    std::vector<std::uint32_t> apart;
    for (const std::uint32_t shard : others_) {
      if (2 * std::chrono::abs(old_[shard].time - *middle) > tolerance(*middle)) apart.push_back(shard);
    }
    std::sort(apart.begin(), apart.end());
    return apart;
  }

  /// Opens the shards apart as well if the limit allows that, so that all become equal again. nullopt if
  /// no shard is apart, or they cannot be made equal.
  std::optional<Arrangement> with_apart_open() {
    if (others_.empty()) return std::nullopt;
    const std::vector<std::uint32_t> apart = shards_apart();
    double bytes = 0;
    for (const std::uint32_t shard : apart) bytes += static_cast<double>(old_[shard].bytes);
    if (apart.empty() || apart.size() == others_.size() || bytes > most_bytes()) return std::nullopt;
    const std::vector<std::uint32_t> before = others_;
    std::erase_if(others_,
                  [&](std::uint32_t shard) { return std::binary_search(apart.begin(), apart.end(), shard); });
    must_open_.insert(must_open_.end(), apart.begin(), apart.end());
    apart_bytes_ = bytes;
    const std::uint64_t moves_for_others = moves_left_ / 2;
    moves_left_ -= moves_for_others;
    std::optional<Arrangement> found = with_some_open();
    moves_left_ += moves_for_others;
    must_open_ = lost_;
    others_ = before;
    apart_bytes_ = 0;
    return found;
  }

  /// Opens as few shards as possible for as many new ones as possible. nullopt when it takes all of them, or
  /// when no attempt succeeds.
  std::optional<Arrangement> with_some_open() {
    int attempts = 0;
    const auto is_over = [&] { return attempts == kMostAttempts || moves_left_ == 0; };
    for (std::uint64_t added = most_added(); !is_over(); added -= step_below(added)) {
      for (std::size_t opened = 0; may_open(opened); opened = more_than(opened)) {
        const Pool pool = pool_of(opened, added);
        const auto counts = pools_.counts_for(pool);
        if (!counts) continue;
        if (auto found = deal(pool, *counts, Pools::Time::must_fit)) return found;
        ++attempts;
        if (is_over()) break;
      }
      if (added == 0) break;
    }
    const bool may_be_uneven = wishes_.limit && apart_bytes_ == 0 && cost_of_all() > most_bytes();
    return may_be_uneven ? uneven() : std::nullopt;
  }

  std::uint64_t step_below(std::uint64_t added) const {
    const std::uint64_t multiple = wishes_.multiple_of;
    return std::max<std::uint64_t>(1, added / multiple / 64) * multiple;
  }

  bool may_open(std::size_t opened) const {
    return opened < others_.size() && bytes_of(opened) <= most_bytes();
  }

  /// Audio times differ rather than that the limit is exceeded which people set. Counts do not: that may take
  /// more shards.
  std::optional<Arrangement> uneven() {
    std::size_t opened = 0;
    while (may_open(opened + 1)) ++opened;
    for (; opened < others_.size(); ++opened) {
      const Pool pool = pool_of(opened, 0);
      const auto counts = pools_.counts_for(pool, Pools::Time::may_differ);
      if (!counts) continue;
      if (auto found = deal(pool, *counts, Pools::Time::may_differ)) return found;
    }
    return std::nullopt;
  }

  /// As many new shards as the free samples fill by their time.
  std::uint64_t most_added() const {
    const std::uint64_t added = pools_.most_added(must_open_);
    return added - added % wishes_.multiple_of;
  }

  Pool pool_of(std::size_t opened, std::uint64_t added) const {
    std::vector<std::uint32_t> shards = must_open_;
    shards.insert(shards.end(), others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(opened));
    std::sort(shards.begin(), shards.end());
    return pools_.pool(std::move(shards), static_cast<std::uint32_t>(added));
  }

  /// Deals `counts[g]` free samples of each group g with the samples of the opened shards. nullopt when the
  /// shards do not come out like those that stay.
  std::optional<Arrangement> deal(const Pool& pool, const std::vector<std::uint64_t>& counts,
                                  Pools::Time time) {
    std::uint64_t moves = 0;
    const std::vector<bool> taken = pools_.pick(pool, counts, moves);
    spend(moves);
    std::vector<HeldSample> held;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (taken[i]) held.push_back(free_[i]);
    }
    add_opened(pool.opened, held);
    const auto dealt = deal_like_others(pool, held, time);
    if (!dealt) return std::nullopt;
    const auto number = [&](std::uint32_t place) {
      return place < pool.opened.size()
                 ? pool.opened[place]
                 : static_cast<std::uint32_t>(old_.size() + place - pool.opened.size());
    };
    Arrangement arrangement{.shards = static_cast<std::uint32_t>(old_.size()) + pool.added,
                            .opened = pool.opened,
                            .free_to = std::vector<std::uint32_t>(free_.size(), kNoShard),
                            .opened_to = {}};
    std::size_t next = 0;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (taken[i]) arrangement.free_to[i] = number((*dealt)[next++]);
    }
    for (; next < dealt->size(); ++next) arrangement.opened_to.push_back(number((*dealt)[next]));
    return arrangement;
  }

  void add_opened(const std::vector<std::uint32_t>& opened, std::vector<HeldSample>& held) const {
    for (const std::uint32_t shard : opened) {
      const std::vector<HeldSample> samples = samples_of_(shard);
      held.insert(held.end(), samples.begin(), samples.end());
    }
  }

  void spend(std::uint64_t moves) { moves_left_ -= std::min(moves, moves_left_); }

  /// Deals `held` to the shards of the pool so that they are like those that stay; nullopt if that was not
  /// found.
  std::optional<std::vector<std::uint32_t>> deal_like_others(const Pool& pool,
                                                             const std::vector<HeldSample>& held,
                                                             Pools::Time time) {
    const auto attempt = [&](Effort effort) {
      std::uint64_t moves = 0;
      auto dealt = deal_to(pool.shards(), held, effort, &moves);
      spend(moves);
      return dealt;
    };
    auto quick = attempt(Effort::quick);
    if (time == Pools::Time::may_differ) {
      if (!pools_.fits(pool, held, quick, time)) return std::nullopt;
      return attempt(Effort::thorough);
    }
    const bool is_quick_good = pools_.fits(pool, held, quick, time);
    std::optional<std::vector<std::uint32_t>> found;
    if (is_quick_good) found = quick;
    if (is_quick_good && spread_of(quick, held, pool.shards()) <= kFineSpread) return found;
    // One attempt gets half of the work at most, so that others get some.
    if (deal::most_moves(held.size(), Effort::thorough) > moves_left_ / 2) return found;
    auto thorough = attempt(Effort::thorough);
    if (pools_.fits(pool, held, thorough, time)) found = std::move(thorough);
    return found;
  }

  std::vector<std::uint32_t> deal_to(std::uint32_t shards, const std::vector<HeldSample>& held, Effort effort,
                                     std::uint64_t* moves = nullptr) const {
    if (held.empty()) return {};
    const std::vector<deal::Holding> nothing(shards);
    return deal::deal_rest(std::vector<std::span<const deal::Holding>>(pools_.datasets(), nothing), held,
                           wishes_.equal, effort, moves);
  }

  /// If no deal gives each shard its share of every dataset and the same time, and the mix may differ, deals
  /// the samples as if they were of one dataset.
  std::vector<std::uint32_t> deal_all_to(std::uint32_t shards, const std::vector<HeldSample>& held,
                                         Effort most) const {
    const auto spread = [&](const std::vector<std::uint32_t>& dealt) {
      return spread_of(dealt, held, shards);
    };
    const Duration all =
        std::accumulate(held.begin(), held.end(), Duration{},
                        [](Duration sum, const auto& sample) { return sum + sample.duration; });
    const Duration enough = tolerance(all / shards);
    const bool may_mix = wishes_.mix == Wishes::Mix::may_differ && pools_.datasets() > 1;
    std::vector<std::uint32_t> best;
    const auto try_deal = [&](const std::vector<HeldSample>& samples, Effort effort) {
      std::vector<std::uint32_t> dealt = deal_to(shards, samples, effort);
      if (best.empty() || spread(dealt) < spread(best)) best = std::move(dealt);
      return spread(best) <= kFineSpread;
    };
    const auto try_both = [&](const std::vector<HeldSample>& samples, bool is_hopeless) {
      if (!try_deal(samples, Effort::quick) && most == Effort::thorough && !is_hopeless)
        try_deal(samples, Effort::thorough);
      return spread(best) <= enough;
    };
    if (try_both(held, may_mix && deal::least_spread(held, shards).spread > enough) || !may_mix) return best;
    std::vector<HeldSample> mixed = held;
    for (HeldSample& sample : mixed) sample.dataset = 0;
    try_both(mixed, false);
    return best;
  }

  /// About as many samples in each shard as before. There are fewer shards only when whole shards are over.
  Target target_shards() const {
    const std::uint64_t all = samples();
    const std::uint64_t multiple = wishes_.multiple_of;
    const double wanted = static_cast<double>(all) / wishes_.shard_samples / static_cast<double>(multiple);
    auto multiples = static_cast<std::uint64_t>(std::floor(wanted + 0.5));
    if (multiples * multiple < old_.size()) multiples = static_cast<std::uint64_t>(std::ceil(wanted - 1e-9));
    multiples = std::max<std::uint64_t>(1, multiples);
    // Samples that were in training should not wait. Others may, as the number of shards is to grow with
    // them.
    if (wishes_.equal && all % (multiples * multiple) > free_.size())
      multiples = with_fewest_waiting(all, multiples);
    const std::uint64_t shards = multiples * multiple;
    return {.shards = shards, .waiting = wishes_.equal ? all % shards : 0};
  }

  /// Where all shards must hold exactly the same: of the numbers close to `wanted`, the one with which fewest
  /// samples wait.
  std::uint64_t with_fewest_waiting(std::uint64_t all, std::uint64_t wanted) const {
    std::uint64_t best = wanted;
    const auto waiting = [&](std::uint64_t multiples) { return all % (multiples * wishes_.multiple_of); };
    for (std::uint64_t step = 1; step <= wanted / 4; ++step) {
      for (const std::uint64_t other : {wanted + step, wanted - step}) {
        if (other * wishes_.multiple_of <= all && waiting(other) < waiting(best)) best = other;
      }
    }
    return best;
  }

  Arrangement rearrange_all(const Target& target, Effort most = Effort::thorough) const {
    if (samples() < target.shards)
      throw TooFewSamples(
          fmt::format("{} are too few for {}, the smallest number of shards that the dataset may have",
                      base::format_count(samples(), "sample"), base::format_count(target.shards, "shard")));
    Arrangement arrangement{.shards = static_cast<std::uint32_t>(target.shards),
                            .opened = std::vector<std::uint32_t>(old_.size()),
                            .free_to = {},
                            .opened_to = {}};
    std::iota(arrangement.opened.begin(), arrangement.opened.end(), 0);
    // The last free samples wait; only if they are too few do others.
    std::vector<HeldSample> held;
    add_opened(arrangement.opened, held);
    const std::size_t of_shards = held.size();
    held.insert(held.end(), free_.begin(), free_.end());
    held.resize(held.size() - target.waiting);
    std::vector<std::uint32_t> to = deal_all_to(arrangement.shards, held, most);
    to.resize(of_shards + free_.size(), kNoShard);
    const auto end_of_shards = to.begin() + static_cast<std::ptrdiff_t>(of_shards);
    arrangement.opened_to.assign(to.begin(), end_of_shards);
    arrangement.free_to.assign(end_of_shards, to.end());
    return arrangement;
  }

  std::span<const OldShard> old_;
  std::span<const HeldSample> free_;
  const Wishes& wishes_;
  const SamplesOf& samples_of_;
  Pools pools_;
  std::vector<std::uint32_t> lost_;       // shards that lost samples
  std::vector<std::uint32_t> others_;     // all others, in the order in which they are opened
  std::vector<std::uint32_t> must_open_;  // these are opened in any case
  double apart_bytes_ = 0;                // of those among them that lost nothing
  std::uint64_t moves_left_ = 0;          // for attempts to open only some shards
};

}  // namespace

std::uint64_t OldShard::samples() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::uint64_t Arrangement::waiting() const {
  return static_cast<std::uint64_t>(std::count(free_to.begin(), free_to.end(), kNoShard) +
                                    std::count(opened_to.begin(), opened_to.end(), kNoShard));
}

Arrangement arrange(std::span<const OldShard> old, std::span<const HeldSample> free, const Wishes& wishes,
                    const SamplesOf& samples_of) {
  return Arranger(old, free, wishes, samples_of).run();
}

}  // namespace shardmill::update
