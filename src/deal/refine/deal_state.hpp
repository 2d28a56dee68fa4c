// DealState: a deal of held samples that changes move by move, and the best one so far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/refine/refiner.hpp"

namespace shardmill::deal {

class DealState {
 public:
  struct Item {
    Nanoseconds duration = 0;
    std::uint32_t dataset = 0;
    std::uint32_t index = 0;  // among the held samples
    std::uint32_t shard = 0;
    std::uint32_t slot = 0;  // in the list of the shard
  };
  /// Items [begin, end).
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  /// The best deal so far is that of `placement`. There must be at least one held sample.
  DealState(const Placement& placement, std::span<const HeldSample> held);

  /// The held samples, sorted by dataset, then by duration.
  const Item& item(std::uint32_t number) const { return items_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }
  Range dataset(std::uint32_t number) const { return {begin_[number], begin_[number + 1]}; }
  std::uint32_t datasets() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  /// The items of all datasets, sorted by duration, and the place of an item among them.
  std::uint32_t by_length(std::uint32_t place) const { return by_length_[place]; }
  std::uint32_t place(std::uint32_t item) const { return place_[item]; }
  /// The items in a shard, in no order.
  std::span<const std::uint32_t> in_shard(std::uint32_t shard) const { return lists_[shard]; }
  /// The audio time of each shard, as distance from the mean.
  std::span<const Nanoseconds> times() const { return times_; }
  Nanoseconds spread() const;

  /// Whether the counts allow that `item` leaves its shard for `shard`, and nothing comes back but perhaps a
  /// sample of another dataset.
  bool may_leave(std::uint32_t item, std::uint32_t shard) const {
    return above(items_[item].dataset, items_[item].shard) == 1 && above(items_[item].dataset, shard) == 0;
  }
  /// Whether some shards have one sample more than others in total, and `from` may give that to `to`.
  bool has_longer_shards() const { return has_longer_shards_; }
  bool may_lengthen(std::uint32_t from, std::uint32_t to) const {
    return longer_[from] == 1 && longer_[to] == 0;
  }

  /// These change the counts; the caller asks first whether they may.
  void exchange(std::uint32_t i, std::uint32_t j);
  void move(std::uint32_t item, std::uint32_t shard);

  Nanoseconds best_spread() const { return best_spread_; }
  /// Keeps the deal as the best one if it is. Takes no time while the two shards that were too far apart the
  /// last time still are.
  void keep_if_best();
  /// Goes back to the best deal.
  void go_back();
  /// Goes back to the best deal, and writes it to `placement`.
  void store(Placement& placement);

 private:
  void sort_items(const Placement& placement, std::span<const HeldSample> held);
  void read_shards(const Placement& placement);
  void leave(std::uint32_t item);
  void enter(std::uint32_t item, std::uint32_t shard);
  void keep();
  std::size_t cell(std::uint32_t dataset, std::uint32_t shard) const {
    return dataset * times_.size() + shard;
  }
  std::int32_t above(std::uint32_t dataset, std::uint32_t shard) const {
    return above_[cell(dataset, shard)];
  }

  std::vector<Item> items_;
  std::vector<std::uint32_t> begin_;  // of each dataset among the items; one more at the end
  std::vector<std::uint32_t> by_length_;
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<Nanoseconds> times_;
  std::vector<std::int32_t> above_;   // by dataset and shard: 1 if it has the extra sample, else 0
  std::vector<std::int32_t> longer_;  // by shard: the same of all datasets together
  bool has_longer_shards_ = false;
  Nanoseconds best_spread_ = 0;
  std::uint32_t shortest_ = 0;  // shards that were farthest apart when keep_if_best() compared all
  std::uint32_t longest_ = 0;
  std::vector<std::uint32_t> best_;     // shard of each item
  std::vector<std::uint32_t> changed_;  // items that moved since then; not all where these are very many
};

}  // namespace shardmill::deal
