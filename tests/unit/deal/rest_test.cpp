#include "deal/rest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace shardmill::deal {
namespace {

using namespace std::chrono_literals;
using Shards = std::vector<Holding>;

struct Case {
  std::vector<Shards> dealt;  // of each dataset
  std::vector<HeldSample> held;

  std::vector<std::uint32_t> deal() const {
    const std::vector<std::span<const Holding>> views(dealt.begin(), dealt.end());
    return deal_rest(views, held);
  }
  /// What all shards hold in the end, of each dataset.
  std::vector<Shards> after(const std::vector<std::uint32_t>& shard_of) const {
    std::vector<Shards> all = dealt;
    for (std::size_t i = 0; i < held.size(); ++i) {
      Holding& shard = all[held[i].dataset].at(shard_of[i]);
      ++shard.samples;
      shard.duration += held[i].duration;
    }
    return all;
  }
};

/// Counts that differ by up to `ahead`, and `held` samples of each dataset.
Case random_case(unsigned seed, std::size_t shards, std::size_t datasets, std::uint32_t ahead,
                 std::size_t held) {
  std::mt19937 random(seed);
  const auto duration = [&] { return 1s + Duration(random() % 15'000'000'000); };
  Case made;
  for (std::uint32_t dataset = 0; dataset < datasets; ++dataset) {
    Shards& all = made.dealt.emplace_back(shards);
    for (Holding& shard : all) {
      shard.samples = 50 + random() % (ahead + 1);
      for (std::uint64_t i = 0; i < shard.samples; ++i) shard.duration += duration();
    }
    for (std::size_t i = 0; i < held; ++i) made.held.push_back({dataset, duration()});
  }
  return made;
}

std::uint64_t count_spread(const Shards& shards) {
  const auto [fewest, most] = std::minmax_element(
      shards.begin(), shards.end(), [](const Holding& a, const Holding& b) { return a.samples < b.samples; });
  return most->samples - fewest->samples;
}

Shards totals(const std::vector<Shards>& datasets) {
  Shards sum(datasets.front().size());
  for (const Shards& shards : datasets) {
    for (std::size_t i = 0; i < shards.size(); ++i) {
      sum[i].samples += shards[i].samples;
      sum[i].duration += shards[i].duration;
    }
  }
  return sum;
}

Duration time_spread(const Shards& shards) {
  const auto [least, most] =
      std::minmax_element(shards.begin(), shards.end(),
                          [](const Holding& a, const Holding& b) { return a.duration < b.duration; });
  return most->duration - least->duration;
}

TEST(DealRest, EvensOutCountsOfEveryDatasetAndInTotalAndTimes) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const std::size_t shards = 2 + seed % 9;
    const Case made = random_case(seed, shards, 1 + seed % 3, 4, 60 * shards + seed % 7);
    const auto shard_of = made.deal();
    EXPECT_EQ(shard_of, made.deal()) << seed;
    const auto after = made.after(shard_of);
    for (const Shards& dataset : after) EXPECT_LE(count_spread(dataset), 1u) << seed;
    EXPECT_LE(count_spread(totals(after)), 1u) << seed;
    EXPECT_LE(time_spread(totals(after)), 1ms) << seed;
  }
}

TEST(DealRest, FillsUpTheShardsThatHaveFewestWhereSamplesAreTooFew) {
  const Case made{.dealt = {{{10, 10s}, {3, 3s}, {7, 7s}, {4, 4s}}}, .held = {{0, 1s}, {0, 2s}, {0, 1s}}};
  const auto after = made.after(made.deal());
  // Three samples lift 3 and 4 to 5: no other way brings the fewest so high.
  EXPECT_EQ(after[0][0].samples, 10u);
  EXPECT_EQ(after[0][1].samples, 5u);
  EXPECT_EQ(after[0][2].samples, 7u);
  EXPECT_EQ(after[0][3].samples, 5u);
}

TEST(DealRest, SmallCasesAreAsEvenAsAnyDealCanBe) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    const Case made = random_case(seed, 2, 1, 0, 6);
    Duration best = Duration::max();
    for (unsigned set = 0; set < 64; ++set) {  // who of the six goes to the first shard
      if (std::popcount(set) != 3) continue;
      std::vector<std::uint32_t> shard_of;
      for (unsigned i = 0; i < 6; ++i) shard_of.push_back(set >> i & 1U);
      best = std::min(best, time_spread(totals(made.after(shard_of))));
    }
    EXPECT_LE(time_spread(totals(made.after(made.deal()))), std::max<Duration>(best, 1ms)) << seed;
  }
}

TEST(DealRest, NothingHeldIsNothingToDo) {
  const Case made{.dealt = {{{1, 1s}, {1, 2s}}}, .held = {}};
  EXPECT_TRUE(made.deal().empty());
}

struct Picked {
  std::vector<std::uint64_t> counts;
  Duration time{};
};

Picked pick_of(const std::vector<HeldSample>& samples, const std::vector<std::uint64_t>& counts,
               Duration time) {
  const std::vector<bool> chosen = pick(samples, counts, time);
  Picked picked{.counts = std::vector<std::uint64_t>(counts.size(), 0)};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!chosen[i]) continue;
    ++picked.counts[samples[i].dataset];
    picked.time += samples[i].duration;
  }
  return picked;
}

TEST(Pick, ComesToTheTimeWithTheCountsOfEachDataset) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<HeldSample> samples;
    Duration all{};
    for (std::uint32_t i = 0; i < 200; ++i) {
      samples.push_back(
          {.dataset = i % 2, .duration = std::chrono::microseconds(1'000'000 + random() % 9'000'000)});
      all += samples.back().duration;
    }
    const std::vector<std::uint64_t> counts{20 + random() % 60, 20 + random() % 60};
    const auto number = static_cast<std::int64_t>(counts[0] + counts[1]);
    const Duration wanted = all * number / 200;
    const Picked picked = pick_of(samples, counts, wanted);
    EXPECT_EQ(picked.counts, counts);
    EXPECT_LE(std::chrono::abs(picked.time - wanted), std::chrono::milliseconds(2)) << "round " << round;
  }
}

TEST(Pick, TakesTheFirstOnesIfAllAreAlike) {
  const std::vector<HeldSample> samples(5, {.dataset = 0, .duration = std::chrono::seconds(2)});
  const std::vector<std::uint64_t> counts{2};
  EXPECT_EQ(pick(samples, counts, std::chrono::seconds(9)),
            (std::vector<bool>{true, true, false, false, false}));
}

TEST(Pick, NothingOfNothing) {
  const std::vector<std::uint64_t> counts{0};
  EXPECT_TRUE(pick({}, counts, Duration{}).empty());
}

using Counts = std::vector<std::uint64_t>;

/// What each shard ends up with, per dataset and in total.
struct Result {
  std::vector<Counts> per_dataset;
  Counts total;
};

std::uint64_t spread(const Counts& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *most - *least;
}

Result fill(const std::vector<Counts>& dealt, const Counts& held) {
  std::vector<std::vector<Holding>> holdings;
  for (const Counts& counts : dealt) {
    holdings.emplace_back();
    for (const std::uint64_t count : counts) holdings.back().push_back({count, {}});
  }
  const std::vector<Quota> quotas =
      make_quotas(std::vector<std::span<const Holding>>(holdings.begin(), holdings.end()), held);
  Result result{.per_dataset = dealt, .total = Counts(dealt.front().size())};
  for (std::size_t d = 0; d < dealt.size(); ++d) {
    EXPECT_EQ(std::accumulate(quotas[d].samples.begin(), quotas[d].samples.end(), 0U), held[d]);
    for (std::size_t shard = 0; shard < dealt[d].size(); ++shard) {
      result.per_dataset[d][shard] += quotas[d].samples[shard];
      result.total[shard] += result.per_dataset[d][shard];
    }
  }
  return result;
}

TEST(Quota, fills_up_the_shards_that_have_fewest) {
  EXPECT_EQ(fill({{5, 3, 4, 3}}, {5}).per_dataset[0], (Counts{5, 5, 5, 5}));
  EXPECT_EQ(fill({{5, 3, 4, 3}}, {3}).per_dataset[0], (Counts{5, 5, 4, 4}));
  EXPECT_EQ(fill({{9, 1, 1, 1}}, {7}).per_dataset[0], (Counts{9, 4, 3, 3}));
}

TEST(Quota, spreads_the_extra_samples_of_many_small_datasets) {
  const std::vector<Counts> nothing(10, Counts(16));
  const Result result = fill(nothing, Counts{3, 5, 16, 17, 1, 0, 40, 7, 9, 2});
  EXPECT_EQ(spread(result.total), 1U);
  for (const Counts& counts : result.per_dataset) EXPECT_LE(spread(counts), 1U);
}

TEST(Quota, free_datasets_make_up_for_bound_ones) {
  const Result result = fill({{4, 4, 3, 3}, {7, 7, 7, 7}}, {0, 2});
  EXPECT_EQ(result.per_dataset[1], (Counts{7, 7, 8, 8}));
  EXPECT_EQ(spread(result.total), 0U);
}

TEST(Quota, nothing_held_is_nothing_to_get) {
  EXPECT_EQ(fill({{1, 3}}, {0}).per_dataset[0], (Counts{1, 3}));
}

}  // namespace
}  // namespace shardmill::deal
