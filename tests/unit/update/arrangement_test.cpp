#include "update/arrangement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace shardmill::update {
namespace {

using deal::HeldSample;

constexpr std::uint64_t kBytesASecond = 32'000;

/// A dataset as an update sees it: samples by shard, and those that wait. Checks what must hold after each
/// update in the slow and obvious way.
class Living {
 public:
  explicit Living(unsigned seed) : random_(seed) {}

  void make(std::uint32_t shards, const std::vector<std::uint32_t>& counts, double mean = 6) {
    for (std::uint32_t d = 0; d < counts.size(); ++d) add(d, counts[d], mean);
    datasets_ = std::max<std::size_t>(datasets_, counts.size());
    shards_.assign(1, {});
    std::swap(shards_.front(), waiting_);
    wishes = {.mix = Wishes::Mix::anew, .shard_samples = static_cast<double>(samples()) / shards};
    update();
    wishes = {};
  }

  void add(std::uint32_t dataset, std::size_t count, double mean = 6) {
    datasets_ = std::max<std::size_t>(datasets_, dataset + 1);
    std::lognormal_distribution<double> draw(std::log(mean), 0.5);
    for (std::size_t i = 0; i < count; ++i)
      waiting_.push_back(
          {.dataset = dataset, .duration = std::chrono::microseconds(std::llround(1e6 * draw(random_)))});
  }

  void remove(std::size_t count) {
    for (std::size_t removed = 0; removed < count;) {
      const std::size_t shard = random_() % shards_.size();
      auto& samples = shards_[shard];
      if (samples.empty()) continue;
      ++removed;
      samples.erase(samples.begin() + static_cast<std::ptrdiff_t>(random_() % samples.size()));
      lost_.push_back(shard);
    }
  }

  void remove_dataset(std::uint32_t dataset) {
    for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
      if (std::erase_if(shards_[shard], [&](const HeldSample& sample) { return sample.dataset == dataset; }) >
          0)
        lost_.push_back(shard);
    }
  }

  void update() {
    const std::vector<OldShard> old = old_shards();
    wishes.free_bytes = static_cast<std::uint64_t>(seconds(waiting_) * kBytesASecond);
    if (wishes.shard_samples == 1) wishes.shard_samples = samples_a_shard_;
    std::size_t asked = 0;
    const Arrangement arrangement = arrange(old, waiting_, wishes, [&](std::uint32_t shard) {
      ++asked;
      return shards_[shard];
    });
    check(arrangement, old);
    carry_out(arrangement);
    samples_a_shard_ = static_cast<double>(samples()) / static_cast<double>(shards_.size());
    lost_.clear();
    wishes.shard_samples = 1;
  }

  std::size_t shards() const { return shards_.size(); }
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t rewritten() const { return rewritten_; }
  double rewritten_share() const {
    return cost_ / std::max<double>(1, static_cast<double>(wishes.free_bytes));
  }
  std::uint64_t samples() const {
    std::uint64_t all = 0;
    for (const auto& shard : shards_) all += shard.size();
    return all;
  }
  /// Of audio, from shard to shard.
  double spread_seconds() const {
    std::vector<double> times;
    for (const auto& shard : shards_) times.push_back(seconds(shard));
    return std::ranges::max(times) - std::ranges::min(times);
  }
  bool is_even() const { return spread_seconds() <= std::max(0.010, 1e-5 * seconds(shards_.front())) + 1e-6; }
  std::size_t count_spread() const {
    const auto [least, most] =
        std::ranges::minmax(shards_, {}, [](const auto& shard) { return shard.size(); });
    return most.size() - least.size();
  }
  std::size_t mix_spread(std::uint32_t dataset) const {
    std::vector<std::int64_t> counts;
    for (const auto& shard : shards_)
      counts.push_back(std::ranges::count(shard, dataset, &HeldSample::dataset));
    return static_cast<std::size_t>(std::ranges::max(counts) - std::ranges::min(counts));
  }

  Wishes wishes;

 private:
  static double seconds(const std::vector<HeldSample>& samples) {
    double sum = 0;
    for (const HeldSample& sample : samples) sum += std::chrono::duration<double>(sample.duration).count();
    return sum;
  }

  std::vector<OldShard> old_shards() const {
    std::vector<OldShard> old;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      OldShard& shard = old.emplace_back();
      shard.counts.resize(datasets_);
      for (const HeldSample& sample : shards_[i]) {
        ++shard.counts[sample.dataset];
        shard.time += sample.duration;
      }
      shard.bytes = static_cast<std::uint64_t>(seconds(shards_[i]) * kBytesASecond);
      shard.has_lost = std::ranges::find(lost_, i) != lost_.end();
    }
    return old;
  }

  void check(const Arrangement& arrangement, const std::vector<OldShard>& old) {
    ASSERT_EQ(arrangement.free_to.size(), waiting_.size());
    ASSERT_TRUE(std::ranges::is_sorted(arrangement.opened));
    std::size_t of_opened = 0;
    cost_ = 0;
    rewritten_ = arrangement.opened.size();
    for (const std::uint32_t shard : arrangement.opened) {
      of_opened += shards_[shard].size();
      if (!old[shard].has_lost) cost_ += static_cast<double>(old[shard].bytes);
    }
    ASSERT_EQ(arrangement.opened_to.size(), of_opened) << "exactly once";
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].has_lost) {
        ASSERT_TRUE(std::ranges::binary_search(arrangement.opened, i));
      }
      if (i >= arrangement.shards) {
        ASSERT_TRUE(std::ranges::binary_search(arrangement.opened, i));
      }
    }
    for (const std::uint32_t shard : arrangement.free_to)
      ASSERT_TRUE(shard < arrangement.shards || shard == kNoShard);
    for (const std::uint32_t shard : arrangement.opened_to) {
      ASSERT_TRUE(shard < arrangement.shards || (wishes.equal && shard == kNoShard))
          << "what was in training stays there";
    }
    EXPECT_EQ(arrangement.shards % wishes.multiple_of, 0U);
  }

  void carry_out(const Arrangement& arrangement) {
    std::vector<std::vector<HeldSample>> shards(arrangement.shards);
    for (std::uint32_t shard = 0; shard < std::min<std::size_t>(shards_.size(), arrangement.shards);
         ++shard) {
      if (!std::ranges::binary_search(arrangement.opened, shard)) shards[shard] = shards_[shard];
    }
    std::vector<HeldSample> waiting;
    const auto place = [&](const HeldSample& sample, std::uint32_t shard) {
      (shard == kNoShard ? waiting : shards[shard]).push_back(sample);
    };
    for (std::size_t i = 0; i < waiting_.size(); ++i) place(waiting_[i], arrangement.free_to[i]);
    std::size_t next = 0;
    for (const std::uint32_t shard : arrangement.opened) {
      for (const HeldSample& sample : shards_[shard]) place(sample, arrangement.opened_to[next++]);
    }
    shards_ = std::move(shards);
    waiting_ = std::move(waiting);
  }

  std::mt19937 random_;
  std::size_t datasets_ = 1;
  std::vector<std::vector<HeldSample>> shards_;
  std::vector<HeldSample> waiting_;
  std::vector<std::size_t> lost_;
  double samples_a_shard_ = 1;
  double cost_ = 0;  // bytes of old shards that were written again, but for those that lost samples
  std::size_t rewritten_ = 0;
};

TEST(Arrangement, OneDatasetsSamplesAreTrainedOn) {
  Living living(1);
  living.make(32, {2000, 1120});
  ASSERT_EQ(living.shards(), 32U);
  living.add(0, 260);
  living.update();
  EXPECT_EQ(living.waiting(), 0U);
  EXPECT_EQ(living.shards(), 35U);
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
  EXPECT_LE(living.count_spread(), 1U);
}

TEST(Arrangement, ALongSampleTakesShortOnesOfAnyDataset) {
  // With half of each dataset, the shard of the long sample would last 16 s, and the other one 8 s.
  const auto sample = [](std::uint32_t dataset, int seconds) {
    return HeldSample{.dataset = dataset, .duration = std::chrono::seconds(seconds)};
  };
  const std::vector<HeldSample> in_each{sample(0, 1), sample(0, 1), sample(1, 3), sample(1, 3)};
  const OldShard shard{.counts = {2, 2, 0}, .time = std::chrono::seconds(8), .bytes = 8};
  const std::vector<OldShard> old{shard, shard};
  const std::vector<HeldSample> free{sample(2, 8)};
  Wishes wishes{.shard_samples = 4, .free_bytes = 8, .limit = HUGE_VAL};
  const auto times = [&] {
    const Arrangement arrangement = arrange(old, free, wishes, [&](std::uint32_t) { return in_each; });
    std::vector<Duration> sums(arrangement.shards);
    sums.at(arrangement.free_to.at(0)) += free[0].duration;
    for (std::size_t i = 0; i < arrangement.opened_to.size(); ++i)
      sums.at(arrangement.opened_to[i]) += in_each[i % in_each.size()].duration;
    return sums;
  };
  EXPECT_EQ(times(), std::vector<Duration>(2, std::chrono::seconds(12)));
  wishes.mix = Wishes::Mix::anew;
  EXPECT_NE(times(), std::vector<Duration>(2, std::chrono::seconds(12))) << "the mix comes first";
}

TEST(Arrangement, OneRemovedSampleTakesNothingWithIt) {
  Living living(2);
  living.make(32, {2000, 1120});
  living.remove(1);
  living.update();
  EXPECT_EQ(living.samples(), 3119U);
  EXPECT_EQ(living.shards(), 32U);
  EXPECT_EQ(living.waiting(), 0U);
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
}

TEST(Arrangement, WhatWaitsFillsGaps) {
  Living living(3);
  living.make(32, {3200});
  living.add(0, 60);
  living.wishes.limit = 0;
  living.update();
  ASSERT_EQ(living.waiting(), 60U);
  living.remove(2);
  living.update();
  EXPECT_EQ(living.samples(), 3200U);
  EXPECT_LE(living.rewritten(), 4U);
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
}

TEST(Arrangement, AFewShardsOfManyAreWrittenAgain) {
  Living living(4);
  living.make(100, {10'000});
  living.add(0, 330);
  living.update();
  EXPECT_EQ(living.shards(), 103U);
  EXPECT_LT(living.waiting(), 100U);
  EXPECT_LE(living.rewritten_share(), Limit::kUsual);
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
}

TEST(Arrangement, LongerSamplesGoToAllShardsWithinTheLimit) {
  Living living(5);
  living.make(16, {1600});
  living.add(0, 320, 15);
  living.update();
  EXPECT_EQ(living.waiting(), 0U);
  EXPECT_EQ(living.rewritten(), 16U);
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
}

TEST(Arrangement, TheMixIsKeptWhenAsked) {
  Living living(6);
  living.make(16, {1000, 600});
  living.add(0, 110);
  living.wishes.mix = Wishes::Mix::kept;
  living.update();
  EXPECT_EQ(living.waiting(), 0U);
  EXPECT_LE(living.mix_spread(0), 1U);
  EXPECT_LE(living.mix_spread(1), 1U);
  living.add(0, 69);  // as shards hold them
  living.add(1, 37);
  living.wishes.limit = 0;
  living.update();
  EXPECT_LE(living.mix_spread(0), 1U);
}

TEST(Arrangement, AMultipleOfShardsIsKept) {
  Living living(7);
  living.make(32, {3200});
  living.wishes.multiple_of = 16;
  living.add(0, 900);
  living.update();
  EXPECT_EQ(living.shards(), 48U);
  EXPECT_EQ(living.waiting(), 0U);
  living.wishes.multiple_of = 16;
  living.remove(40);
  living.update();
  EXPECT_EQ(living.shards(), 48U);
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
}

TEST(Arrangement, ShardsGoOnlyWhenWholeOnesAreOver) {
  Living living(8);
  living.make(10, {1000, 500});
  living.remove(140);
  living.update();
  EXPECT_EQ(living.shards(), 10U);
  living.remove_dataset(1);
  living.update();
  EXPECT_EQ(living.waiting(), 0U);
  EXPECT_EQ(living.shards(), 7U);
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
}

TEST(Arrangement, ALimitOnARemovalComesBeforeTheBalance) {
  Living living(9);
  living.make(32, {3200});
  living.remove(1);
  living.wishes.limit = 4;
  living.update();
  EXPECT_EQ(living.samples(), 3199U);
  EXPECT_EQ(living.waiting(), 0U);
  EXPECT_LE(living.rewritten(), 5U);
  EXPECT_LE(living.count_spread(), 1U);
}

TEST(Arrangement, WhatALimitLeftApartIsMendedByTheNextUpdate) {
  Living living(9);
  living.make(32, {3200});
  living.remove(1);
  living.wishes.limit = 4;
  living.update();
  ASSERT_FALSE(living.is_even()) << "nothing to mend";
  living.wishes = {};
  living.add(0, 110);
  living.update();
  EXPECT_TRUE(living.is_even()) << living.spread_seconds();
  EXPECT_LT(living.rewritten(), 32U);
}

/// Adds samples of 3 s to two shards that hold one sample each, of 5 s and of 1 s.
Arrangement with_two_of_3_seconds(const Wishes& wishes) {
  using std::chrono::seconds;
  const std::vector<std::vector<HeldSample>> held{{{0, seconds(5)}}, {{0, seconds(1)}}};
  const std::vector<OldShard> old{{.counts = {1, 0}, .time = seconds(5), .bytes = 5},
                                  {.counts = {1, 0}, .time = seconds(1), .bytes = 1}};
  const std::vector<HeldSample> free{{1, seconds(3)}, {1, seconds(3)}};
  return arrange(old, free, wishes, [&](std::uint32_t shard) { return held[shard]; });
}

TEST(Arrangement, ShardsHoldMoreWhereThatAloneMakesThemEqual) {
  const Arrangement equal = with_two_of_3_seconds({.free_bytes = 6});
  EXPECT_EQ(equal.shards, 2U);
  EXPECT_EQ(equal.free_to[0], equal.free_to[1]);
  EXPECT_EQ(equal.opened_to[0], equal.opened_to[1]);
  EXPECT_NE(equal.free_to[0], equal.opened_to[0]);
  EXPECT_EQ(with_two_of_3_seconds({.mix = Wishes::Mix::kept, .free_bytes = 6}).shards, 4U);
  EXPECT_EQ(with_two_of_3_seconds({.free_bytes = 6, .limit = 0.5}).shards, 4U);
}

TEST(Arrangement, ExactlyEqualShardsStayEqual) {
  Living living(10);
  living.make(16, {1600});
  living.wishes.equal = true;
  living.add(0, 330);
  living.update();
  EXPECT_EQ(living.count_spread(), 0U);
  EXPECT_LT(living.waiting(), living.shards());
}

TEST(Arrangement, ARemovalFromEqualShardsLeavesFewSamplesWaiting) {
  Living living(12);
  living.make(60, {480});
  living.wishes.equal = true;
  living.remove(1);
  living.update();
  EXPECT_EQ(living.count_spread(), 0U);
  EXPECT_LE(living.waiting(), 2U) << living.shards() << " shards";
}

TEST(Arrangement, TooFewSamplesForTheMultiple) {
  Living living(11);
  living.make(8, {80});
  living.remove(76);
  living.wishes.multiple_of = 8;
  EXPECT_THROW(living.update(), TooFewSamples);
}

TEST(Arrangement, RandomHistories) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    Living living(seed);
    const auto shards = static_cast<std::uint32_t>(2 + random() % 14);
    living.make(shards, {shards * static_cast<std::uint32_t>(64 + random() % 60),
                         shards * static_cast<std::uint32_t>(random() % 40)});
    for (int step = 0; step < 5; ++step) {
      const std::size_t before = living.samples();
      const std::size_t waited = living.waiting();
      const double a_shard = static_cast<double>(before) / static_cast<double>(living.shards());
      std::size_t added = 0;
      std::size_t removed = 0;
      if (random() % 3 != 0) {
        added = random() % (random() % 2 == 0 ? 20 : 400);
        living.add(static_cast<std::uint32_t>(random() % 3), added, random() % 4 == 0 ? 9 : 6);
      }
      if (random() % 3 == 0) {
        living.remove(1 + random() % 30);
        removed = before - living.samples();
      }
      living.update();
      ASSERT_TRUE(living.is_even()) << "seed " << seed << ", step " << step << ": "
                                    << living.spread_seconds();
      ASSERT_LE(living.count_spread(), 1U);
      ASSERT_EQ(living.samples() + living.waiting(), before + waited + added - removed);
      ASSERT_GE(living.samples(), before - removed) << "nothing else leaves training";
      if (removed == 0) {
        ASSERT_LE(living.rewritten_share(), Limit::kMost) << "seed " << seed << ", step " << step;
      }
      if (living.rewritten_share() < Limit::kUsual / 2 && added > 0) {
        ASSERT_LT(static_cast<double>(living.waiting()), 1.5 * a_shard + 40)
            << "seed " << seed << ", step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace shardmill::update
