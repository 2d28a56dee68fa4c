#include "deal/rest.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

using Dealt = std::span<const std::span<const Holding>>;

/// Chooses the shards that get one sample more than others, dataset by dataset, so that in total each shard
/// is chosen equally often.
class Extras {
 public:
  explicit Extras(Dealt dealt) : durations_(dealt.front().size()), chosen_(dealt.front().size()) {
    for (const auto& shards : dealt) {
      for (std::size_t shard = 0; shard < shards.size(); ++shard) durations_[shard] += shards[shard].duration;
    }
  }

  void count(const std::vector<bool>& extra) {
    for (std::size_t shard = 0; shard < extra.size(); ++shard) chosen_[shard] += extra[shard] ? 1U : 0U;
  }

  /// Marks `number` shards in `extra`: those that were chosen least often so far; of equals, those with the
  /// least audio.
  void choose(std::uint64_t number, std::vector<bool>& extra) {
    candidates_.clear();
    for (std::uint32_t shard = 0; shard < extra.size(); ++shard) {
      if (!extra[shard]) candidates_.push_back(shard);
    }
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(number);
    std::nth_element(candidates_.begin(), end, candidates_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return std::tuple(chosen_[a], durations_[a], a) < std::tuple(chosen_[b], durations_[b], b);
    });
    for (auto shard = candidates_.begin(); shard != end; ++shard) {
      extra[*shard] = true;
      ++chosen_[*shard];
    }
  }

 private:
  std::vector<Duration> durations_;    // of each shard, over all datasets
  std::vector<std::uint32_t> chosen_;  // how often each shard was chosen
  std::vector<std::uint32_t> candidates_;
};

/// The number of samples to which `held` samples can fill all shards, and how many samples are left over
/// then.
struct Fill {
  std::uint64_t level = 0;
  std::uint64_t left = 0;
};

Fill fill(std::span<const Holding> shards, std::uint64_t held) {
  std::vector<std::uint64_t> counts;
  for (const Holding& shard : shards) counts.push_back(shard.samples);
  std::sort(counts.begin(), counts.end());
  Fill fill{.level = counts.front(), .left = held};
  for (std::size_t filled = 1; filled <= counts.size(); ++filled) {
    const std::uint64_t affordable = fill.left / filled;
    const std::uint64_t step =
        filled < counts.size() ? std::min(affordable, counts[filled] - fill.level) : affordable;
    fill.level += step;
    fill.left -= step * filled;
  }
  return fill;
}

/// Moves one sample of a quota from shard `a` to shard `b`: of a dataset that gives `a` one sample more than
/// `b`, if there is one. Returns false when `a` gets nothing.
bool move_one(std::vector<Quota>& quotas, std::size_t a, std::size_t b) {
  Quota* from = nullptr;
  for (Quota& quota : quotas) {
    if (quota.samples[a] == 0) continue;
    const bool keeps_counts = quota.extra[a] && !quota.extra[b];
    if (from == nullptr || keeps_counts) from = &quota;
    if (keeps_counts) break;
  }
  if (from == nullptr) return false;
  --from->samples[a];
  ++from->samples[b];
  if (from->extra[a] && !from->extra[b]) {
    from->extra[a] = false;
    from->extra[b] = true;
  }
  return true;
}

/// Gives all shards the same number of samples in total, as far as quotas can be moved.
void make_equal(Dealt dealt, std::vector<Quota>& quotas) {
  const std::size_t shards = dealt.front().size();
  std::vector<std::uint64_t> totals(shards, 0);
  std::uint64_t sum = 0;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    for (std::size_t d = 0; d < dealt.size(); ++d)
      totals[shard] += dealt[d][shard].samples + quotas[d].samples[shard];
    sum += totals[shard];
  }
  const std::uint64_t wanted = sum / shards;
  std::size_t under = 0;
  for (std::size_t over = 0; over < shards; ++over) {
    while (totals[over] > wanted) {
      while (under < shards && totals[under] >= wanted) ++under;
      if (under == shards || !move_one(quotas, over, under)) break;
      --totals[over];
      ++totals[under];
    }
  }
}

}  // namespace

std::vector<Quota> make_quotas(Dealt dealt, std::span<const std::uint64_t> held, bool equal) {
  std::vector<Fill> fills;
  std::vector<Quota> quotas;
  std::vector<bool> bound;  // datasets where some shards already have more than all can get
  Extras extras(dealt);
  for (std::size_t d = 0; d < dealt.size(); ++d) {
    fills.push_back(fill(dealt[d], held[d]));
    Quota& quota = quotas.emplace_back();
    for (const Holding& shard : dealt[d]) quota.extra.push_back(shard.samples > fills[d].level);
    bound.push_back(std::find(quota.extra.begin(), quota.extra.end(), true) != quota.extra.end());
    extras.count(quota.extra);
  }
  // Datasets that may choose any shard choose last: they can make up for the choices of the others.
  for (const bool first : {true, false}) {
    for (std::size_t d = 0; d < dealt.size(); ++d) {
      if (bound[d] == first) extras.choose(fills[d].left, quotas[d].extra);
    }
  }
  for (std::size_t d = 0; d < dealt.size(); ++d) {
    for (std::size_t shard = 0; shard < dealt[d].size(); ++shard) {
      const std::uint64_t target = fills[d].level + (quotas[d].extra[shard] ? 1 : 0);
      const std::uint64_t has = dealt[d][shard].samples;
      quotas[d].samples.push_back(static_cast<std::uint32_t>(target > has ? target - has : 0));
    }
  }
  if (equal) make_equal(dealt, quotas);
  return quotas;
}

namespace {

/// The audio time of each shard.
std::vector<Duration> audio_of(std::span<const std::span<const Holding>> dealt) {
  std::vector<Duration> totals(dealt.front().size());
  for (const auto& shards : dealt) {
    for (std::size_t shard = 0; shard < shards.size(); ++shard) totals[shard] += shards[shard].duration;
  }
  return totals;
}

/// By shard: whether it gets one sample more in total than the fewest. Empty if some shards get more than
/// that.
std::vector<bool> longer_shards(std::span<const std::span<const Holding>> dealt,
                                const std::vector<Quota>& quotas) {
  std::vector<std::uint64_t> counts(dealt.front().size(), 0);
  for (std::size_t shard = 0; shard < counts.size(); ++shard) {
    for (std::size_t d = 0; d < dealt.size(); ++d)
      counts[shard] += dealt[d][shard].samples + quotas[d].samples[shard];
  }
  const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
  if (*most > *fewest + 1) return {};
  std::vector<bool> longer;
  for (const std::uint64_t count : counts) longer.push_back(count > *fewest);
  return longer;
}

}  // namespace

std::vector<std::uint32_t> deal_rest(std::span<const std::span<const Holding>> dealt,
                                     std::span<const HeldSample> held, bool equal, Effort effort,
                                     std::uint64_t* moves) {
  std::vector<std::uint64_t> held_counts(dealt.size(), 0);
  for (const HeldSample& sample : held) ++held_counts[sample.dataset];
  Placement placement{.totals = audio_of(dealt),
                      .quotas = make_quotas(dealt, held_counts, equal),
                      .shard_of = std::vector<std::uint32_t>(held.size())};
  if (!equal) placement.extra = longer_shards(dealt, placement.quotas);
  std::vector<std::uint32_t> all(held.size());
  std::iota(all.begin(), all.end(), 0);
  deal_in_handfuls(placement, held, all);
  std::uint64_t made = refine(placement, held);
  made += anneal(placement, held, effort);
  if (moves != nullptr) *moves += made;
  if (effort == Effort::thorough) deal_pairs_anew(placement, held);
  return std::move(placement.shard_of);
}

std::vector<bool> pick(std::span<const HeldSample> samples, std::span<const std::uint64_t> counts,
                       Duration time, std::uint64_t* moves) {
  // The chosen samples and the others are two shards. Their totals are measured from the wanted time, so they
  // are equal just when the choice is right.
  constexpr std::uint32_t kChosen = 0;
  constexpr std::uint32_t kLeft = 1;
  Placement placement{.totals = {-time, time}, .quotas = {}, .shard_of = {}};
  for (const std::uint64_t count : counts) {
    const auto number = static_cast<std::uint32_t>(count);
    placement.quotas.push_back({.samples = {number, 0}, .extra = {false, false}});
  }
  std::vector<std::uint64_t> missing(counts.begin(), counts.end());
  for (const HeldSample& sample : samples) {
    const bool is_chosen = missing[sample.dataset] > 0;
    placement.shard_of.push_back(is_chosen ? kChosen : kLeft);
    if (!is_chosen) continue;
    --missing[sample.dataset];
    placement.totals[kChosen] += sample.duration;
    placement.totals[kLeft] -= sample.duration;
  }
  std::uint64_t made = refine(placement, samples);
  made += anneal(placement, samples, Effort::quick);
  if (moves != nullptr) *moves += made;
  std::vector<bool> chosen;
  for (const std::uint32_t shard : placement.shard_of) chosen.push_back(shard == kChosen);
  return chosen;
}

}  // namespace shardmill::deal
