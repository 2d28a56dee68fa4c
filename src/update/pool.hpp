// Pool: the shards that an update deals again or adds, and the counts and times that make them like the
// others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "update/arrangement.hpp"

namespace shardmill::update {

/// The spread that the shards of a balanced dataset may have.
Duration tolerance(Duration mean);

/// Some old shards that are opened, and some new ones; their samples are dealt together.
struct Pool {
  std::vector<std::uint32_t> opened;  // ascending
  std::uint32_t added = 0;            // new shards
  std::vector<std::uint64_t> counts;  // samples in the opened shards, by group
  Duration time{};                    // audio time of the opened shards

  /// What the shards that stay closed hold.
  struct Closed {
    std::vector<std::uint64_t> fewest;  // samples of a shard, by group
    std::vector<std::uint64_t> most;
    std::uint64_t fewest_in_all = 0;
    std::uint64_t most_in_all = 0;
    Duration least{};
    Duration longest{};
    Duration mean{};
  };
  std::optional<Closed> closed{};  // none: no shard stays closed

  std::uint32_t shards() const { return static_cast<std::uint32_t>(opened.size()) + added; }
};

/// What follows from the old shards and the free samples for any pool. Samples are counted in groups: those
/// of a dataset are a group if the mix is kept, otherwise all samples are one.
class Pools {
 public:
  /// The arguments must outlive it.
  Pools(std::span<const OldShard> old, std::span<const deal::HeldSample> free, const Wishes& wishes);

  enum class Time {
    must_fit,   // within the spread that a balanced dataset may have
    may_differ  // as near as it comes
  };

  std::size_t datasets() const { return datasets_; }
  bool are_free_samples_longer() const;
  /// How many new shards the free samples can fill, when the shards `lost` are filled too.
  std::uint64_t most_added(std::span<const std::uint32_t> lost) const;
  Pool pool(std::vector<std::uint32_t> opened, std::uint32_t added) const;
  /// How many free samples of each group the pool takes; nullopt when no number gives its shards the counts
  /// and the time of those that stay.
  std::optional<std::vector<std::uint64_t>> counts_for(const Pool& pool, Time time = Time::must_fit) const;
  /// Chooses that many free samples, so that the pool gets the audio time that it needs.
  /// Adds the moves that this took to `moves`.
  std::vector<bool> pick(const Pool& pool, const std::vector<std::uint64_t>& counts,
                         std::uint64_t& moves) const;
  /// Whether the shards of the pool are like those that stay, when each sample of `held` goes to the shard
  /// `dealt` of it.
  bool fits(const Pool& pool, std::span<const deal::HeldSample> held, std::span<const std::uint32_t> dealt,
            Time time) const;

 private:
  std::uint32_t group_of(std::uint32_t dataset) const { return by_dataset_ ? dataset : 0; }
  bool is_time_possible(const Pool& pool, const std::vector<std::uint64_t>& counts) const;
  Duration needed_time(const Pool& pool) const;

  std::span<const OldShard> old_;
  const Wishes& wishes_;
  bool by_dataset_;
  std::size_t datasets_;
  std::size_t groups_;
  std::vector<deal::HeldSample> free_;              // with groups as their datasets
  std::vector<std::vector<Duration>> shortest_;     // by group: the time of the n shortest free samples
  std::vector<std::vector<std::uint64_t>> counts_;  // of the old shards, by group
};

}  // namespace shardmill::update
