#include "deal/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/units.hpp"

namespace shardmill::deal {

namespace {

std::string text_of(Duration duration) {
  return base::format_audio(std::chrono::duration<double>(duration).count());
}

/// A group that is not chosen yet.
struct Free {
  SplitChooser::Group group;
  Duration duration;
};

std::vector<Free>::iterator shortest(std::vector<Free>& free) {
  return std::min_element(free.begin(), free.end(),
                          [](const Free& a, const Free& b) { return a.duration < b.duration; });
}

std::vector<Free> free_groups(const SplitChooser::State& state) {
  std::vector<Free> free;
  for (const auto& [group, duration] : state.kept) free.push_back({.group = group, .duration = duration});
  return free;
}

/// Takes groups in their order as long as they fit, and one more if that comes closer, but not all of them.
/// Returns the sum.
Duration fill_share(std::vector<Free>& free, Duration wanted, bool has_more, std::uint32_t split,
                    std::map<SplitChooser::Group, std::uint32_t>& split_of) {
  Duration sum{};
  std::vector<Free> others;
  std::size_t left = free.size() + (has_more ? 1 : 0);
  const auto take = [&](const Free& each) {
    sum += each.duration;
    split_of[each.group] = split;
    --left;
  };
  for (const Free& each : free) {
    if (left > 1 && sum + each.duration <= wanted) {
      take(each);
    } else {
      others.push_back(each);
    }
  }
  const auto least = shortest(others);
  if (left > 1 && least != others.end() && sum + least->duration - wanted < wanted - sum) {
    take(*least);
    others.erase(least);
  }
  free = std::move(others);
  return sum;
}

/// Takes groups in their order as long as they fit, and one more if that comes closer. Returns the sum.
Duration fill(std::vector<Free>& free, Duration wanted, std::uint32_t split,
              std::map<SplitChooser::Group, std::uint32_t>& split_of) {
  Duration sum{};
  std::vector<Free> others;
  for (const Free& each : free) {
    if (sum + each.duration <= wanted) {
      sum += each.duration;
      split_of[each.group] = split;
    } else {
      others.push_back(each);
    }
  }
  const auto least = shortest(others);
  if (least != others.end() && (sum == Duration{} || sum + least->duration - wanted < wanted - sum)) {
    sum += least->duration;
    split_of[least->group] = split;
    others.erase(least);
  }
  free = std::move(others);
  return sum;
}

void check_amount(Duration all, Duration wanted) {
  if (all > wanted) return;
  throw SplitError(
      fmt::format("the sources hold {} of audio, and the splits were to get {}, with something left "
                  "to train on",
                  text_of(all), text_of(wanted)),
      {}, "ask for less");
}

SplitError too_few_groups() {
  return SplitError("there are fewer speakers than splits: each split needs at least one", {},
                    "ask for fewer splits");
}

SplitError nothing_left(Duration all, std::size_t groups) {
  return SplitError(
      fmt::format(
          "nothing would be left to train on: the sources hold {} of {}, and the splits take all of them",
          text_of(all), base::format_count(groups, "speaker")),
      {}, "ask for less");
}

}  // namespace

Duration SplitWish::total() const {
  Duration total{};
  for (const auto& [name, amount] : amounts) total += amount;
  return total;
}

SplitChooser::SplitChooser(const SplitWish& wish) : needed_(2 * wish.total()) {
  constexpr std::int64_t kFewestGroups = 4;  // for each split, twice over
  Duration least = Duration::max();
  for (const auto& [name, amount] : wish.amounts) {
    wanted_.push_back(amount);
    least = std::min(least, amount);
  }
  most_ = std::max(Duration(1), least / kFewestGroups);
}

Duration SplitChooser::worth(Duration duration) const {
  return std::min(duration, most_);
}

bool SplitChooser::add(const Group& group, Duration duration) {
  if (state_.has_limit && !(group < state_.limit)) {
    state_.passed += duration;
    return false;
  }
  Duration& total = state_.kept[group];
  worth_ -= worth(total);
  total += duration;
  worth_ += worth(total);
  drop_needless();
  return !state_.has_limit || group < state_.limit;
}

// What is kept only grows in worth, so a group that is dropped is never missed later.
void SplitChooser::drop_needless() {
  while (!state_.kept.empty()) {
    const auto last = std::prev(state_.kept.end());
    if (worth_ - worth(last->second) < needed_) return;
    state_.has_limit = true;
    state_.limit = last->first;
    state_.passed += last->second;
    worth_ -= worth(last->second);
    state_.kept.erase(last);
  }
}

SplitChooser::Choice SplitChooser::choose() const {
  std::vector<Free> free = free_groups(state_);
  const Duration all = total();
  Duration wanted{};
  for (const Duration amount : wanted_) wanted += amount;
  check_amount(all, wanted);
  Choice choice{.split_of = {}, .durations = {}, .rest = all};
  for (std::uint32_t split = 0; split < wanted_.size(); ++split) {
    if (free.empty()) throw too_few_groups();
    choice.durations.push_back(fill(free, wanted_[split], split, choice.split_of));
    choice.rest -= choice.durations.back();
  }
  if (free.empty() && state_.passed == Duration{}) throw nothing_left(all, state_.kept.size());
  return choice;
}

Duration SplitChooser::total() const {
  Duration all = state_.passed;
  for (const auto& [group, duration] : state_.kept) all += duration;
  return all;
}

void SplitChooser::restore(State state) {
  state_ = std::move(state);
  worth_ = {};
  for (const auto& [group, duration] : state_.kept) worth_ += worth(duration);
}

namespace {

/// Those of one dataset.
struct Pool {
  std::vector<Free> free;
  Duration total{};
  bool has_more = false;  // groups that may not be chosen
};

using Pools = std::map<std::string, Pool>;

/// Of each dataset its share. What one lacks, others give.
Duration take_shares(Pools& pools, Duration wanted, Duration all, std::uint32_t split,
                     std::map<SplitChooser::Group, std::uint32_t>& split_of) {
  Duration sum{};
  Duration passed{};
  for (auto& [dataset, pool] : pools) {
    passed += pool.total;
    const double share = static_cast<double>(passed.count()) / static_cast<double>(all.count());
    const Duration until_here(static_cast<Duration::rep>(share * static_cast<double>(wanted.count())));
    if (until_here > sum) sum += fill_share(pool.free, until_here - sum, pool.has_more, split, split_of);
  }
  for (auto& [dataset, pool] : pools) {
    if (sum < wanted) sum += fill_share(pool.free, wanted - sum, pool.has_more, split, split_of);
  }
  return sum;
}

/// Where all shares are smaller than the groups: from all datasets together.
Duration take_any(Pools& pools, Duration wanted, std::uint32_t split,
                  std::map<SplitChooser::Group, std::uint32_t>& split_of) {
  std::vector<Free> all;
  for (auto& [dataset, pool] : pools) all.insert(all.end(), pool.free.begin(), pool.free.end());
  if (all.empty()) throw too_few_groups();
  const Duration sum = fill(all, wanted, split, split_of);
  for (auto& [dataset, pool] : pools)
    std::erase_if(pool.free, [&](const Free& each) { return split_of.contains(each.group); });
  return sum;
}

}  // namespace

SplitChooser& SplitPools::pool_of(const std::string& dataset) {
  const auto known = pools_.find(dataset);
  if (known != pools_.end()) return known->second;
  SplitWish own{.by = wish_.by, .amounts = {}};
  for (const auto& [split, amount] : wish_.amounts) {
    const auto from = wish_.datasets.find(split);
    if (from == wish_.datasets.end() || from->second == dataset) own.amounts.emplace(split, amount);
  }
  return pools_.try_emplace(dataset, own).first->second;
}

bool SplitPools::add(const std::string& dataset, const SplitChooser::Group& group, Duration duration) {
  return pool_of(dataset).add(group, duration);
}

SplitChooser::Choice SplitPools::choose() const {
  if (pools_.size() == 1 && wish_.datasets.empty()) return pools_.begin()->second.choose();
  Pools pools;
  SplitChooser::Choice choice{.split_of = {}, .durations = {}, .rest = {}};
  std::size_t groups = 0;
  for (const auto& [dataset, chooser] : pools_) {
    const SplitChooser::State& state = chooser.state();
    pools[dataset] = {
        .free = free_groups(state), .total = chooser.total(), .has_more = state.passed != Duration{}};
    choice.rest += chooser.total();
    groups += state.kept.size();
  }
  const Duration all = choice.rest;
  check_amount(all, wish_.total());
  std::uint32_t number = 0;
  for (const auto& [split, amount] : wish_.amounts) {
    const auto from = wish_.datasets.find(split);
    Duration sum{};
    if (from == wish_.datasets.end()) {
      sum = take_shares(pools, amount, all, number, choice.split_of);
      if (sum == Duration{}) sum = take_any(pools, amount, number, choice.split_of);
    } else {
      Pool& pool = pools[from->second];
      if (pool.free.empty()) throw too_few_groups();
      sum = fill(pool.free, amount, number, choice.split_of);
    }
    choice.durations.push_back(sum);
    choice.rest -= sum;
    ++number;
  }
  const bool is_all_taken = std::all_of(pools.begin(), pools.end(), [](const auto& each) {
    return each.second.free.empty() && !each.second.has_more;
  });
  if (is_all_taken) throw nothing_left(all, groups);
  return choice;
}

SplitPools::State SplitPools::state() const {
  State state;
  for (const auto& [dataset, chooser] : pools_) state.pools.emplace(dataset, chooser.state());
  return state;
}

void SplitPools::restore(State state) {
  pools_.clear();
  for (auto& [dataset, kept] : state.pools) pool_of(dataset).restore(std::move(kept));
}

}  // namespace shardmill::deal
