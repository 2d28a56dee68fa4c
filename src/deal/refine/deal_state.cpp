#include "deal/refine/deal_state.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace shardmill::deal {

DealState::DealState(const Placement& placement, std::span<const HeldSample> held)
    : lists_(placement.totals.size()) {
  read_shards(placement);
  sort_items(placement, held);
  best_.resize(items_.size());
  changed_.resize(items_.size());
  keep();
}

void DealState::read_shards(const Placement& placement) {
  const Duration first = placement.totals.front();
  Duration above_first{};
  for (const Duration total : placement.totals) above_first += total - first;
  const Duration mean = first + above_first / static_cast<std::int64_t>(placement.totals.size());
  for (const Duration total : placement.totals) times_.push_back((total - mean).count());
  for (const Quota& quota : placement.quotas)
    above_.insert(above_.end(), quota.extra.begin(), quota.extra.end());
  longer_.assign(placement.extra.begin(), placement.extra.end());
  has_longer_shards_ = std::find(longer_.begin(), longer_.end(), 1) != longer_.end();
  longer_.resize(times_.size());
}

void DealState::sort_items(const Placement& placement, std::span<const HeldSample> held) {
  for (std::uint32_t i = 0; i < held.size(); ++i)
    items_.push_back({.duration = held[i].duration.count(), .dataset = held[i].dataset, .index = i});
  std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return std::tuple(a.dataset, a.duration, a.index) < std::tuple(b.dataset, b.duration, b.index);
  });
  begin_.assign(placement.quotas.size() + 1, 0);
  for (const Item& item : items_) ++begin_[item.dataset + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  by_length_.resize(items_.size());
  std::iota(by_length_.begin(), by_length_.end(), 0U);
  std::stable_sort(by_length_.begin(), by_length_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return items_[a].duration < items_[b].duration; });
  place_.resize(items_.size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    place_[by_length_[i]] = i;
    items_[i].shard = placement.shard_of[items_[i].index];
    items_[i].slot = static_cast<std::uint32_t>(lists_[items_[i].shard].size());
    lists_[items_[i].shard].push_back(i);
  }
}

Nanoseconds DealState::spread() const {
  const auto [least, most] = std::minmax_element(times_.begin(), times_.end());
  return *most - *least;
}

void DealState::keep_if_best() {
  if (times_[longest_] - times_[shortest_] >= best_spread_) return;
  const auto [least, most] = std::minmax_element(times_.begin(), times_.end());
  shortest_ = static_cast<std::uint32_t>(least - times_.begin());
  longest_ = static_cast<std::uint32_t>(most - times_.begin());
  if (*most - *least < best_spread_) keep();
}

void DealState::exchange(std::uint32_t i, std::uint32_t j) {
  const std::uint32_t from = items_[i].shard;
  move(i, items_[j].shard);
  move(j, from);
}

void DealState::move(std::uint32_t item, std::uint32_t shard) {
  leave(item);
  enter(item, shard);
  if (changed_.size() < items_.size()) changed_.push_back(item);
}

void DealState::leave(std::uint32_t item) {
  const Item& gone = items_[item];
  std::vector<std::uint32_t>& list = lists_[gone.shard];
  items_[list.back()].slot = gone.slot;
  list[gone.slot] = list.back();
  list.pop_back();
  times_[gone.shard] -= gone.duration;
  --above_[cell(gone.dataset, gone.shard)];
  --longer_[gone.shard];
}

void DealState::enter(std::uint32_t item, std::uint32_t shard) {
  Item& come = items_[item];
  come.shard = shard;
  come.slot = static_cast<std::uint32_t>(lists_[shard].size());
  lists_[shard].push_back(item);
  times_[shard] += come.duration;
  ++above_[cell(come.dataset, shard)];
  ++longer_[shard];
}

void DealState::keep() {
  best_spread_ = spread();
  if (changed_.size() < items_.size()) {
    for (const std::uint32_t item : changed_) best_[item] = items_[item].shard;
  } else {
    for (std::uint32_t i = 0; i < size(); ++i) best_[i] = items_[i].shard;
  }
  changed_.clear();
}

void DealState::go_back() {
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (items_[i].shard == best_[i]) continue;
    leave(i);
    enter(i, best_[i]);
  }
  changed_.clear();
}

void DealState::store(Placement& placement) {
  go_back();
  for (const Item& item : items_) {
    std::uint32_t& shard = placement.shard_of[item.index];
    placement.totals[shard] -= Duration(item.duration);
    placement.totals[item.shard] += Duration(item.duration);
    shard = item.shard;
  }
  for (std::uint32_t d = 0; d < placement.quotas.size(); ++d) {
    for (std::uint32_t shard = 0; shard < times_.size(); ++shard)
      placement.quotas[d].extra[shard] = above(d, shard) > 0;
  }
  for (std::size_t shard = 0; shard < placement.extra.size(); ++shard)
    placement.extra[shard] = longer_[shard] > 0;
}

}  // namespace shardmill::deal
