// DatasetDeal: places the samples of one dataset as they come, so that all shards keep about the same number
// of them and about the same audio time, in whatever order long and short samples come.
//
// A shard is judged by its surplus: its audio time minus the time of as many samples of mean duration. A
// sample longer than the mean should go to the shard with the least surplus, a shorter one to the shard with
// the most; but a shard that is ahead in samples should wait. So the sample goes where the potential
// sum(surplus^2 + weight * samples^2) grows least.
//
// Counts may differ by a few for a while. This keeps the times together when the input, or stretches of it,
// are sorted by duration: dealing in rounds of exactly one sample per shard made the times drift apart by
// hundreds of seconds. Surpluses are kept for each dataset separately: in a mix of 20 datasets that was as
// good as looking at the totals, and a dataset that comes rarely does not use outdated totals.
//
// How many times data is taken: shares() gives each dataset a weight, from its amount and the wishes of the
// user; copies() applies the weight to each sample.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::deal {

/// What is wanted of one dataset.
struct ShareWish {
  double seconds = 0;              // that it holds
  std::optional<double> weight{};  // how many times to take it
  std::optional<double> take{};    // how many seconds of it to take
};

/// A weight for each dataset. Those with a take or a weight get that. All others are mixed: their amounts are
/// proportional to seconds^temperature, and their sum stays the same; or it is `rest_seconds`, where that is
/// given, shared with those that have a weight. A dataset that holds nothing gets 1.
std::vector<double> shares(const std::vector<ShareWish>& wishes, std::optional<double> temperature,
                           std::optional<double> rest_seconds);

/// How many times the sample `key` is taken: always the whole part of `weight`, and once more for a share of
/// the keys that equals the fraction. Only `seed` decides which keys; the same on every machine.
std::uint64_t copies(double weight, std::uint64_t seed, std::string_view key);

using Duration = std::chrono::nanoseconds;

/// What a shard contains of a dataset.
struct Holding {
  std::uint64_t samples = 0;
  Duration duration{};

  bool operator==(const Holding&) const = default;
};

class DatasetDeal {
 public:
  /// Statistics of all samples seen so far. With these and the contents of the shards, another object can
  /// continue.
  struct Seen {
    std::uint64_t samples = 0;
    Duration duration{};
    Duration deviation{};  // sum of the distances from the mean as it was at each sample

    bool operator==(const Seen&) const = default;
  };
  DatasetDeal(std::vector<Holding> shards, const Seen& seen);

  /// Counts a sample that will be dealt or held back.
  void see(Duration duration);
  /// The shard for a sample, which must have been given to see() before.
  std::uint32_t deal(Duration duration);

  const Seen& seen() const { return seen_; }
  std::span<const Holding> shards() const { return shards_; }

 private:
  /// What a shard held when it entered a level, and the shard.
  using Entry = std::pair<Duration, std::uint32_t>;

  /// Shards that have the same number of samples. A shard that leaves stays in the queues until its turn
  /// comes.
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
  std::deque<Level> levels_;  // by number of samples, without gaps; the first one is not empty
};

}  // namespace shardmill::deal
