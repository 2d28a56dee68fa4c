// DatasetDeal: places the samples of one dataset as they come, so that all shards keep about the same number
// of them and about the same audio time of them, in whatever order long and short ones come.
//
// A shard is judged by its surplus: its audio time less that of as many samples of mean duration. A sample
// longer than the mean belongs to the shard with the least surplus, a shorter one to the shard with the most;
// but a shard that is ahead in samples should wait. The sample goes where the potential sum(surplus^2 +
// weight * samples^2) grows least.
//
// That counts may differ by a few for a while is what keeps the times together when the input is sorted by
// duration, in whole or in stretches: dealing in rounds, strictly one sample a shard, drifted apart by
// hundreds of seconds there. Surpluses are kept for each dataset by itself: in a mix of 20 datasets that did
// as well as looking at the total, and a dataset that comes rarely does not see stale totals.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace shardmill::deal {

using Duration = std::chrono::nanoseconds;

/// What a shard holds of a dataset.
struct Holding {
  std::uint64_t samples = 0;
  Duration duration{};

  bool operator==(const Holding&) const = default;
};

class DatasetDeal {
 public:
  /// Goes on from what the shards hold and from the statistics of all samples seen so far.
  struct Seen {
    std::uint64_t samples = 0;
    Duration duration{};
    Duration deviation{};  // sum of distances from the mean at that time

    bool operator==(const Seen&) const = default;
  };
  DatasetDeal(std::vector<Holding> shards, const Seen& seen);

  /// A sample that will be dealt or held back.
  void see(Duration duration);
  /// The shard that a sample is given to; to be seen first.
  std::uint32_t deal(Duration duration);

  const Seen& seen() const { return seen_; }
  std::span<const Holding> shards() const { return shards_; }

 private:
  using Entry = std::pair<Duration, std::uint32_t>;  // what a shard held when it entered, and the shard

  /// Shards with the same number of samples. Those that have left stay in the queues until they come up.
  struct Level {
    explicit Level(std::uint64_t level_samples) : samples(level_samples) {}

    std::uint64_t samples;
    std::size_t members = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> least;
    std::priority_queue<Entry> most;
  };

  Duration mean() const;
  void enter(std::uint32_t shard);
  std::uint32_t fullest(Level& level);
  std::uint32_t emptiest(Level& level);

  std::vector<Holding> shards_;
  Seen seen_;
  std::deque<Level> levels_;  // by number of samples, without gaps; the first has members
};

}  // namespace shardmill::deal
