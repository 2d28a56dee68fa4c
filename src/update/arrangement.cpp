#include "update/arrangement.hpp"

#include <algorithm>
#include <numeric>

#include "deal/quota.hpp"

namespace shardmill::update {

namespace {

using deal::HeldSample;
using deal::kNoShard;

// From here on the promise holds: with fewer samples there is too little to choose from.
constexpr std::uint64_t kEnoughSamples = 64;
constexpr std::int64_t kLooseShare = 20;  // with fewer, a twentieth of the time is close enough

/// The audio times that a shard may have beside those that stay as they are.
struct Allowed {
  Duration least{};
  Duration most{};

  bool fits(Duration time) const { return least <= time && time <= most; }
  Duration middle() const { return least + (most - least) / 2; }
};

std::uint64_t samples_in(const OldShard& shard) {
  return std::accumulate(shard.counts.begin(), shard.counts.end(), std::uint64_t{0});
}

Duration mean_time(std::span<const OldShard> old) {
  Duration above{};
  for (const OldShard& shard : old) above += shard.time - old.front().time;
  return old.front().time + above / static_cast<std::int64_t>(old.size());
}

class Arranger {
 public:
  Arranger(std::span<const OldShard> old, std::uint32_t left, std::span<const std::uint32_t> open,
           std::span<const Movable> samples)
      : old_(old), left_(left), open_(open), samples_(samples), free_(old.front().counts.size(), 0) {
    std::vector<std::uint32_t> place(old.size(), kNoShard);
    for (std::uint32_t i = 0; i < open.size(); ++i) place[open[i]] = i;
    for (const Movable& movable : samples) {
      held_.push_back(movable.sample);
      homes_.push_back(movable.shard == kNoShard ? kNoShard : place[movable.shard]);
      if (homes_.back() == kNoShard) ++free_[movable.sample.dataset];
    }
    set_allowed();
  }

  Likeness likeness() const { return {.counts = pattern(), .least = allowed_.least, .most = allowed_.most}; }

  std::optional<Arrangement> run() {
    const auto most = most_new_shards();
    if (!most) return std::nullopt;
    for (std::uint32_t added = *most;;) {
      if (added == 0 && open_.empty()) return nothing_filled();
      if (auto found = try_with(added)) return found;
      if (added == 0) return std::nullopt;
      added -= std::max<std::uint32_t>(1, added / 16);
    }
  }

 private:
  void set_allowed() {
    const Duration mean = mean_time(old_);
    Duration tolerance = std::max<Duration>(std::chrono::milliseconds(10), mean / 100'000);
    if (samples_in(old_.front()) < kEnoughSamples) tolerance = std::max(tolerance, mean / kLooseShare);
    bool has_untouched = false;
    Duration least{};
    Duration most{};
    for (std::uint32_t shard = 0; shard < left_; ++shard) {
      if (std::find(open_.begin(), open_.end(), shard) != open_.end()) continue;
      const Duration time = old_[shard].time;
      least = has_untouched ? std::min(least, time) : time;
      most = has_untouched ? std::max(most, time) : time;
      has_untouched = true;
    }
    if (!has_untouched) {
      allowed_ = {.least = mean - tolerance / 2, .most = mean + tolerance / 2};
    } else {
      allowed_ = {.least = std::min(least, most - tolerance), .most = std::max(most, least + tolerance)};
    }
  }

  /// New shards are like the one with fewest samples among those that stay.
  const std::vector<std::uint32_t>& pattern() const {
    const auto fewest =
        std::min_element(old_.begin(), old_.begin() + left_,
                         [](const OldShard& a, const OldShard& b) { return samples_in(a) < samples_in(b); });
    return fewest->counts;
  }

  /// nullopt when there are not enough samples to fill the open shards.
  std::optional<std::uint32_t> most_new_shards() {
    std::vector<std::uint64_t> spare = free_;
    for (std::size_t d = 0; d < free_.size(); ++d) {
      std::uint64_t wanted = 0;
      for (const std::uint32_t shard : open_) wanted += old_[shard].counts[d];
      for (std::size_t i = 0; i < held_.size(); ++i)
        wanted -= homes_[i] != kNoShard && held_[i].dataset == d ? 1 : 0;
      if (wanted > spare[d]) return std::nullopt;
      spare[d] -= wanted;
    }
    std::uint64_t most = samples_.size();
    for (std::size_t d = 0; d < free_.size(); ++d) {
      if (pattern()[d] != 0) most = std::min(most, spare[d] / pattern()[d]);
    }
    return static_cast<std::uint32_t>(samples_in(OldShard{.counts = pattern()}) == 0 ? 0 : most);
  }

  Arrangement nothing_filled() const {
    return {.shards = left_, .shard_of = std::vector<std::uint32_t>(samples_.size(), kNoShard)};
  }

  std::optional<Arrangement> try_with(std::uint32_t added) {
    deal::Order order{.counts = {}, .time = allowed_.middle()};
    for (const std::uint32_t shard : open_) order.counts.push_back(old_[shard].counts);
    order.counts.resize(open_.size() + added, pattern());
    const auto filling = deal::fill_shards(order, held_, homes_);
    if (!filling) return std::nullopt;
    if (!std::all_of(filling->totals.begin(), filling->totals.end(),
                     [&](Duration time) { return allowed_.fits(time); })) {
      return std::nullopt;
    }
    Arrangement arrangement = nothing_filled();
    arrangement.shards = left_ + added;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const std::uint32_t place = filling->shard_of[i];
      if (place == kNoShard) continue;
      arrangement.shard_of[i] =
          place < open_.size() ? open_[place] : left_ + place - static_cast<std::uint32_t>(open_.size());
    }
    return arrangement;
  }

  std::span<const OldShard> old_;
  std::uint32_t left_;
  std::span<const std::uint32_t> open_;
  std::span<const Movable> samples_;
  std::vector<HeldSample> held_;
  std::vector<std::uint32_t> homes_;  // places among the open shards
  std::vector<std::uint64_t> free_;   // of each dataset: samples that are in no open shard
  Allowed allowed_;
};

/// What the shards hold, by dataset and shard.
std::vector<std::vector<deal::Holding>> holdings(const Arrangement& arrangement,
                                                 std::span<const Movable> samples, std::size_t datasets) {
  std::vector<std::vector<deal::Holding>> held(datasets, std::vector<deal::Holding>(arrangement.shards));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (arrangement.shard_of[i] == kNoShard) continue;
    deal::Holding& holding = held[samples[i].sample.dataset][arrangement.shard_of[i]];
    holding.samples += 1;
    holding.duration += samples[i].sample.duration;
  }
  return held;
}

}  // namespace

Likeness likeness(std::span<const OldShard> old) {
  return Arranger(old, static_cast<std::uint32_t>(old.size()), {}, {}).likeness();
}

std::optional<Arrangement> arrange(std::span<const OldShard> old, std::uint32_t left,
                                   std::span<const std::uint32_t> open, std::span<const Movable> samples) {
  return Arranger(old, left, open, samples).run();
}

Arrangement spread(const Arrangement& arrangement, std::span<const Movable> samples, std::size_t datasets,
                   Equal equal) {
  const auto held = holdings(arrangement, samples, datasets);
  std::vector<std::uint64_t> waiting(datasets, 0);
  std::vector<HeldSample> all;
  Duration total{};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    all.push_back(samples[i].sample);
    total += samples[i].sample.duration;
    if (arrangement.shard_of[i] == kNoShard) ++waiting[samples[i].sample.dataset];
  }
  const std::uint64_t over = equal == Equal::exactly ? all.size() % arrangement.shards : 0;
  for (std::uint64_t i = 0; i < over; ++i) {
    const auto most = std::max_element(waiting.begin(), waiting.end());
    if (*most > 0) --*most;
  }
  const auto quotas = deal::make_quotas(std::vector<std::span<const deal::Holding>>(held.begin(), held.end()),
                                        waiting, equal == Equal::exactly);
  const auto dealt = static_cast<std::int64_t>(all.size() - over);
  const Duration mean = total / std::max<std::int64_t>(1, static_cast<std::int64_t>(all.size()));
  deal::Order order{.counts = {}, .time = total / static_cast<std::int64_t>(arrangement.shards)};
  if (over > 0) order.time = mean * (dealt / static_cast<std::int64_t>(arrangement.shards));
  for (std::uint32_t shard = 0; shard < arrangement.shards; ++shard) {
    auto& counts = order.counts.emplace_back();
    for (std::size_t d = 0; d < datasets; ++d)
      counts.push_back(static_cast<std::uint32_t>(held[d][shard].samples) + quotas[d].samples[shard]);
  }
  // Where all samples are dealt, there is nothing to choose and it cannot fail.
  const auto filling = deal::fill_shards(order, all, arrangement.shard_of);
  if (!filling) return arrangement;
  return {.shards = arrangement.shards, .shard_of = filling->shard_of};
}

Arrangement remix(std::span<const Movable> samples, std::size_t datasets, std::uint64_t per_shard,
                  Equal equal) {
  std::vector<HeldSample> all;
  for (const Movable& movable : samples) all.push_back(movable.sample);
  const std::uint64_t shards = std::max<std::uint64_t>(1, (all.size() + per_shard / 2) / per_shard);
  Arrangement arrangement{.shards = static_cast<std::uint32_t>(shards), .shard_of = {}};
  const std::vector<deal::Holding> nothing(shards);
  if (equal == Equal::exactly) all.resize(all.size() - all.size() % shards);
  arrangement.shard_of = deal::deal_rest(std::vector<std::span<const deal::Holding>>(datasets, nothing), all,
                                         equal == Equal::exactly);
  arrangement.shard_of.resize(samples.size(), kNoShard);
  return arrangement;
}

}  // namespace shardmill::update
