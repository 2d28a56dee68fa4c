#include "update/arrangement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "deal/balance.hpp"

namespace shardmill::update {
namespace {

using deal::kNoShard;

/// A dataset as an update sees it, and random changes to it.
class Living {
 public:
  Living(std::uint32_t shards, std::vector<std::uint32_t> per_shard, unsigned seed)
      : shards_(shards), datasets_(per_shard.size()), random_(seed) {
    for (std::uint32_t d = 0; d < datasets_; ++d) add(d, per_shard[d] * shards);
    take(remix(samples_, datasets_, samples_.size() / shards));
  }

  void add(std::uint32_t dataset, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      samples_.push_back({.sample = {.dataset = dataset, .duration = draw()}, .shard = kNoShard});
  }

  /// Also fills the gaps, as update does.
  void remove(std::size_t count) {
    const std::vector<OldShard> old = facts();
    std::vector<std::uint32_t> open;
    for (std::size_t i = 0; i < count; ++i) {
      const auto gone = samples_.begin() + static_cast<std::ptrdiff_t>(random_() % samples_.size());
      if (gone->shard != kNoShard && std::find(open.begin(), open.end(), gone->shard) == open.end())
        open.push_back(gone->shard);
      samples_.erase(gone);
    }
    std::sort(open.begin(), open.end());
    arrange_all(old, std::move(open));
  }

  void arrange_all() { arrange_all(facts(), {}); }

  void spread_rest(Equal equal = Equal::nearly) {
    Arrangement now{.shards = shards_, .shard_of = {}};
    for (const Movable& movable : samples_) now.shard_of.push_back(movable.shard);
    take(spread(now, samples_, datasets_, equal));
  }

  void remix_all(Equal equal) { take(remix(samples_, datasets_, samples_.size() / shards_, equal)); }

  deal::Balance balance() const {
    std::vector<deal::ShardTotals> totals;
    for (const OldShard& shard : facts())
      totals.push_back({.duration = shard.time, .samples = {shard.counts.begin(), shard.counts.end()}});
    return deal::measure_balance(totals);
  }

  std::uint32_t shards() const { return shards_; }
  std::uint64_t fewest_samples() const { return std::ranges::min(totals()); }
  std::uint64_t most_samples() const { return std::ranges::max(totals()); }
  std::size_t waiting() const {
    return static_cast<std::size_t>(std::count_if(
        samples_.begin(), samples_.end(), [](const Movable& movable) { return movable.shard == kNoShard; }));
  }

 private:
  std::vector<std::uint64_t> totals() const {
    std::vector<std::uint64_t> totals(shards_, 0);
    for (const Movable& movable : samples_) {
      if (movable.shard != kNoShard) ++totals[movable.shard];
    }
    return totals;
  }

  Duration draw() {
    return std::chrono::microseconds(static_cast<std::int64_t>(2'000'000 + random_() % 12'000'000));
  }

  std::vector<OldShard> facts() const {
    std::vector<OldShard> old(shards_, OldShard{.counts = std::vector<std::uint32_t>(datasets_)});
    for (const Movable& movable : samples_) {
      if (movable.shard == kNoShard) continue;
      ++old[movable.shard].counts[movable.sample.dataset];
      old[movable.shard].time += movable.sample.duration;
    }
    return old;
  }

  void arrange_all(const std::vector<OldShard>& old, std::vector<std::uint32_t> open) {
    for (std::uint32_t left = shards_; left > 0; --left) {
      std::erase_if(open, [&](std::uint32_t shard) { return shard >= left; });
      std::vector<Movable> movables;
      std::vector<std::size_t> numbers;
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        const std::uint32_t shard = samples_[i].shard;
        const bool is_open =
            shard == kNoShard || shard >= left || std::find(open.begin(), open.end(), shard) != open.end();
        if (!is_open) continue;
        numbers.push_back(i);
        movables.push_back(samples_[i]);
      }
      const auto found = arrange(old, left, open, movables);
      if (!found) continue;
      for (std::size_t i = 0; i < numbers.size(); ++i) samples_[numbers[i]].shard = found->shard_of[i];
      shards_ = found->shards;
      return;
    }
    FAIL() << "nothing could be left as it was";
  }

  void take(const Arrangement& arrangement) {
    shards_ = arrangement.shards;
    for (std::size_t i = 0; i < samples_.size(); ++i) samples_[i].shard = arrangement.shard_of[i];
  }

  std::uint32_t shards_;
  std::size_t datasets_;
  std::mt19937 random_;
  std::vector<Movable> samples_;
};

TEST(Arrangement, KeepsThePromiseThroughRandomHistories) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    Living living(8, {60, 40}, seed);
    ASSERT_TRUE(living.balance().even());
    for (int step = 0; step < 20; ++step) {
      switch (random() % 4) {
        case 0:
          living.remove(1 + random() % 20);
          break;
        case 1:
          living.spread_rest();
          break;
        default:
          living.add(0, random() % 200);
          living.add(1, random() % 130);
          living.arrange_all();
      }
      ASSERT_TRUE(living.balance().even()) << "seed " << seed << ", step " << step;
    }
  }
}

TEST(Arrangement, FewSamplesWaitWhereNewOnesAreLikeTheOldOnes) {
  Living living(16, {100}, 7);
  living.add(0, 1010);
  living.arrange_all();
  EXPECT_GE(living.shards(), 25U);
  EXPECT_LE(living.waiting(), 110U);
  EXPECT_TRUE(living.balance().even());
}

TEST(Arrangement, SpreadLeavesNothingWaiting) {
  Living living(16, {100}, 8);
  living.add(0, 50);
  living.arrange_all();
  EXPECT_EQ(living.waiting(), 50U);
  living.spread_rest();
  EXPECT_EQ(living.waiting(), 0U);
  EXPECT_EQ(living.shards(), 16U);
  EXPECT_TRUE(living.balance().even());
}

TEST(Arrangement, ExactlyEqualShardsLeaveSomeWaiting) {
  Living living(16, {100, 30}, 8);
  living.add(0, 50);
  living.add(1, 5);
  living.spread_rest(Equal::exactly);
  EXPECT_EQ(living.waiting(), 55U % 16);
  EXPECT_EQ(living.fewest_samples(), 133U);
  EXPECT_EQ(living.most_samples(), 133U);
  EXPECT_TRUE(living.balance().even());
  living.add(1, 14);
  living.remix_all(Equal::exactly);
  EXPECT_EQ(living.waiting(), 69U % 16);
  EXPECT_EQ(living.fewest_samples(), living.most_samples());
}

TEST(Arrangement, UntouchedShardsStay) {
  Living living(16, {100}, 9);
  living.add(0, 60);
  living.arrange_all();
  living.remove(5);
  EXPECT_EQ(living.shards(), 16U);
  EXPECT_TRUE(living.balance().even());
}

}  // namespace
}  // namespace shardmill::update
