// Round: one sample of a dataset for every shard, placed as they come: the longest to the shard that holds
// least, as far as that can be known before the others have come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardmill/deal/duration_histogram.hpp"

namespace shardmill::deal {

class Round {
 public:
  static constexpr std::uint32_t kServed = 0xffff'ffff;

  /// No round under way.
  Round() = default;
  /// From state().
  explicit Round(std::vector<std::uint32_t> state);

  bool over() const { return unserved_ == 0; }
  /// Begins a round. `shards` is what each shard holds now.
  void begin(std::span<const Duration> shards);

  /// Serves the unserved shard nearest to rank floor(shards * longer / of), counted from the shard that holds
  /// least; needs a round that is not over, and longer < of.
  std::uint32_t serve(std::uint64_t longer, std::uint64_t of);

  /// The shards that are still to be served; empty when the round is over.
  std::vector<std::uint32_t> unserved() const;

  /// The shards from least to most at the start of the round, kServed in place of those served; empty when
  /// the round is over.
  std::vector<std::uint32_t> state() const;

 private:
  std::uint32_t nearest_unserved(std::uint32_t position) const;

  std::vector<std::uint32_t> order_;  // shards, by what they held when the round began
  std::vector<std::uint64_t> free_;   // a bit for each place in order_ that is unserved
  std::uint32_t unserved_ = 0;
};

}  // namespace shardmill::deal
