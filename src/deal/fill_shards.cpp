#include "deal/fill_shards.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "deal/refine/annealer.hpp"
#include "deal/refine/handfuls.hpp"
#include "deal/refine/refiner.hpp"

namespace shardmill::deal {
namespace {

using Nanoseconds = std::int64_t;

constexpr std::size_t kPasses = 8;

/// Free samples of one dataset: those that will fill shards, and those that stay.
struct Choice {
  std::vector<std::uint32_t> taken;
  std::vector<std::uint32_t> left;
};

/// Chooses which free samples fill the shards, so that together they have about the time that is missing.
class Chooser {
 public:
  Chooser(std::span<const HeldSample> samples, std::vector<Choice>& choices, Nanoseconds missing)
      : samples_(samples), choices_(choices), missing_(missing) {
    for (const Choice& choice : choices_) {
      for (const std::uint32_t sample : choice.taken) missing_ -= duration(sample);
    }
  }

  /// The time that is missing with the choice.
  Nanoseconds run() {
    // Exchanges from everywhere, so that the samples that stay are not only the longest or the shortest.
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
      for (Choice& choice : choices_) exchange_some(choice, pass);
    }
    for (Choice& choice : choices_) exchange_extremes(choice);
    return missing_;
  }

 private:
  Nanoseconds duration(std::uint32_t sample) const { return samples_[sample].duration.count(); }

  void exchange_some(Choice& choice, std::size_t pass) {
    if (choice.left.empty()) return;
    for (std::size_t i = 0; i < choice.taken.size(); ++i)
      exchange_if_better(choice.taken[i], choice.left[(i + pass * 7) % choice.left.size()]);
  }

  void exchange_extremes(Choice& choice) {
    const bool gains = missing_ > 0;
    const auto sort = [&](std::vector<std::uint32_t>& list, bool ascending) {
      std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        return ascending ? duration(a) < duration(b) : duration(a) > duration(b);
      });
    };
    sort(choice.taken, gains);
    sort(choice.left, !gains);
    for (std::size_t i = 0; i < std::min(choice.taken.size(), choice.left.size()); ++i)
      exchange_if_better(choice.taken[i], choice.left[i]);
  }

  void exchange_if_better(std::uint32_t& taken, std::uint32_t& left) {
    const Nanoseconds gain = duration(left) - duration(taken);
    if (std::abs(missing_ - gain) >= std::abs(missing_)) return;
    missing_ -= gain;
    std::swap(taken, left);
  }

  std::span<const HeldSample> samples_;
  std::vector<Choice>& choices_;
  Nanoseconds missing_;
};

class Filler {
 public:
  Filler(const Order& order, std::span<const HeldSample> samples, std::span<const std::uint32_t> homes)
      : order_(order), samples_(samples), homes_(homes), shards_(order.counts.size()) {}

  std::optional<Filling> run() {
    if (!choose()) return std::nullopt;
    deal();
    even_out();
    return result();
  }

 private:
  std::size_t datasets() const { return order_.counts.front().size(); }

  bool choose() {
    placement_.totals = order_.before;
    placement_.totals.resize(shards_);
    placement_.shard_of.assign(homes_.begin(), homes_.end());
    placement_.quotas.resize(datasets());
    for (std::size_t d = 0; d < datasets(); ++d) {
      for (const auto& counts : order_.counts) placement_.quotas[d].samples.push_back(counts[d]);
    }
    std::vector<Choice> choices(datasets());
    for (std::uint32_t i = 0; i < samples_.size(); ++i) {
      const HeldSample& sample = samples_[i];
      if (homes_[i] == kNoShard) {
        choices[sample.dataset].left.push_back(i);
        continue;
      }
      --placement_.quotas[sample.dataset].samples[homes_[i]];
      placement_.totals[homes_[i]] += sample.duration;
    }
    Nanoseconds missing = 0;
    for (const Duration total : placement_.totals) missing += (order_.time - total).count();
    for (std::size_t d = 0; d < datasets(); ++d) {
      std::uint64_t needed = 0;
      for (const std::uint32_t count : placement_.quotas[d].samples) needed += count;
      auto& left = choices[d].left;
      if (left.size() < needed) return false;
      // The first ones wait longest.
      const auto end = left.begin() + static_cast<std::ptrdiff_t>(needed);
      choices[d].taken.assign(left.begin(), end);
      left.erase(left.begin(), end);
    }
    if (!is_possible()) return false;
    // Samples at home can make up for a little, about one exchange for each shard.
    const bool has_choice = std::any_of(choices.begin(), choices.end(),
                                        [](const Choice& choice) { return !choice.left.empty(); });
    const Nanoseconds left = Chooser(samples_, choices, missing).run();
    if (has_choice && std::abs(left) > range() * static_cast<Nanoseconds>(shards_)) return false;
    for (const Choice& choice : choices)
      taken_.insert(taken_.end(), choice.taken.begin(), choice.taken.end());
    return true;
  }

  /// False when even the longest samples, or the shortest, do not come to the time. Where none may stay, the
  /// time is what it is.
  bool is_possible() const {
    std::vector<std::vector<Nanoseconds>> all(datasets());
    for (const HeldSample& sample : samples_) all[sample.dataset].push_back(sample.duration.count());
    Nanoseconds wanted = order_.time.count() * static_cast<Nanoseconds>(shards_);
    for (const Duration time : order_.before) wanted -= time.count();
    Nanoseconds longest = 0;
    Nanoseconds shortest = 0;
    bool has_choice = false;
    for (std::size_t d = 0; d < datasets(); ++d) {
      std::size_t needed = 0;
      for (const auto& counts : order_.counts) needed += counts[d];
      std::sort(all[d].begin(), all[d].end());
      has_choice |= needed < all[d].size();
      const auto count = static_cast<std::ptrdiff_t>(needed);
      shortest = std::accumulate(all[d].begin(), all[d].begin() + count, shortest);
      longest = std::accumulate(all[d].end() - count, all[d].end(), longest);
    }
    return !has_choice || (shortest <= wanted && wanted <= longest);
  }

  /// Between the shortest sample and the longest.
  Nanoseconds range() const {
    const auto [shortest, longest] =
        std::minmax_element(samples_.begin(), samples_.end(),
                            [](const HeldSample& a, const HeldSample& b) { return a.duration < b.duration; });
    return (longest->duration - shortest->duration).count();
  }

  void deal() { deal_in_handfuls(placement_, samples_, taken_); }

  /// What stays is one more shard for the exchanges. Its time is shifted so that it is the wanted one just
  /// when all shards together have theirs.
  void even_out() {
    const auto rest = static_cast<std::uint32_t>(shards_);
    Duration of_all{};
    Duration of_rest{};
    bool has_rest = false;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      of_all += samples_[i].duration;
      if (placement_.shard_of[i] != kNoShard) continue;
      has_rest = true;
      of_rest += samples_[i].duration;
      placement_.shard_of[i] = rest;
    }
    if (has_rest) {
      Duration wanted = of_all - order_.time * static_cast<std::int64_t>(shards_);
      for (const Duration time : order_.before) wanted += time;
      placement_.totals.push_back(of_rest - wanted + order_.time);
    }
    for (Quota& quota : placement_.quotas) quota.extra.assign(placement_.totals.size(), false);
    refine(placement_, samples_);
    anneal(placement_, samples_, Effort::quick);
  }

  Filling result() {
    placement_.totals.resize(shards_);
    for (std::uint32_t& shard : placement_.shard_of) {
      if (shard == shards_) shard = kNoShard;
    }
    return {.shard_of = std::move(placement_.shard_of), .totals = std::move(placement_.totals)};
  }

  const Order& order_;
  std::span<const HeldSample> samples_;
  std::span<const std::uint32_t> homes_;
  std::size_t shards_;
  std::vector<std::uint32_t> taken_;
  Placement placement_;
};

}  // namespace

std::optional<Filling> fill_shards(const Order& order, std::span<const HeldSample> samples,
                                   std::span<const std::uint32_t> homes) {
  return Filler(order, samples, homes).run();
}

}  // namespace shardmill::deal
