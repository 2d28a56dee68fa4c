// The expected numbers of shuffles are those of Python 3.11 with the loaders' own code.
#include "deal/steps.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace shardmill::deal {
namespace {

using Lengths = std::vector<double>;

ShardLengths shards_of(const std::vector<Lengths>& durations) {
  ShardLengths shards;
  for (const Lengths& shard : durations) {
    shards.emplace_back();
    for (const double each : shard)
      shards.back().push_back({.seconds = each, .frames = static_cast<std::uint32_t>(100 * each)});
  }
  return shards;
}

/// 1, 2, 3 and so on.
ShardLengths one_shard(std::size_t samples) {
  Lengths durations(samples);
  std::iota(durations.begin(), durations.end(), 1.0);
  return shards_of({durations});
}

TEST(FeatureFrames, AreThoseOfKaldi) {
  EXPECT_EQ(feature_frames(399, 16000), 0u);
  EXPECT_EQ(feature_frames(400, 16000), 1u);
  EXPECT_EQ(feature_frames(559, 16000), 1u);
  EXPECT_EQ(feature_frames(560, 16000), 2u);
  EXPECT_EQ(feature_frames(16000, 16000), 98u);
  EXPECT_EQ(feature_frames(8000, 8000), 98u);
  EXPECT_EQ(feature_frames(44100, 44100), 98u);
  EXPECT_EQ(feature_frames(0, 8000), 0u);
}

TEST(CanBatch, InTheWaysOfEachLoader) {
  for (const Loader loader : kAllLoaders) {
    const bool is_wenet = loader == Loader::wenet || loader == Loader::wenet_old;
    EXPECT_EQ(can_batch(loader, Batching::By::samples), loader != Loader::lhotse);
    EXPECT_EQ(can_batch(loader, Batching::By::frames), is_wenet);
    EXPECT_EQ(can_batch(loader, Batching::By::buckets), loader == Loader::wenet);
    EXPECT_EQ(can_batch(loader, Batching::By::duration), loader == Loader::lhotse);
  }
}

TEST(RemembersLastBatch, OnlyWeNetInItsDynamicBatches) {
  for (const Loader loader : kAllLoaders) {
    EXPECT_EQ(remembers_last_batch(loader, Batching::By::frames), loader == Loader::wenet);
    EXPECT_FALSE(remembers_last_batch(loader, Batching::By::samples));
    EXPECT_FALSE(remembers_last_batch(loader, Batching::By::buckets));
    EXPECT_FALSE(remembers_last_batch(loader, Batching::By::duration));
  }
}

TEST(BatchesOf, AFixedNumberOfSamples) {
  const Batches batches =
      batches_of(Loader::nemo, {1, 0}, {}, shards_of({{5, 1, 2}, {4, 3}}), {.most = 2}, std::nullopt);
  EXPECT_EQ(batches.lengths, (Lengths{8, 10, 2}));
  EXPECT_EQ(batches.filled, 15);
  EXPECT_EQ(batches.samples, 5u);
}

TEST(BatchesOf, WeNetSortsWhatItHolds) {
  const Batches batches = batches_of(Loader::wenet, {0}, {}, shards_of({{5, 1, 2, 9, 3}}),
                                     {.most = 2, .sort_buffer = 4}, std::nullopt);
  EXPECT_EQ(batches.lengths, (Lengths{400, 1800, 300}));  // frames
}

TEST(BatchesOf, DynamicOnesHoldNoMoreThanAllowed) {
  const auto batches = [](const Lengths& frames, double most) {
    Lengths durations;
    for (const double each : frames) durations.push_back(each / 100);
    return batches_of(Loader::wenet, {0}, {}, shards_of({durations}),
                      {.by = Batching::By::frames, .most = most}, std::nullopt)
        .lengths;
  };
  EXPECT_EQ(batches({100, 200, 300, 400, 100}, 900), (Lengths{900, 800}));
  EXPECT_EQ(batches({500, 100, 100}, 100), (Lengths{500, 100, 100})) << "one too long is a batch of its own";
  EXPECT_EQ(batches({}, 100), Lengths{});
}

TEST(BatchesOf, EachBucketOfWeNetHasItsOwnSize) {
  const Batching batching{.by = Batching::By::buckets, .bins = {300, 600}, .sizes = {3, 2, 2}};
  const Batches batches =
      batches_of(Loader::wenet, {0}, {}, shards_of({{1, 9, 3, 2, 6, 1, 4, 2}}), batching, std::nullopt);
  // 9 and 6, 1 2 1, 3 and 4, and 2 at the end.
  EXPECT_EQ(batches.lengths, (Lengths{1800, 600, 800, 200}));
  // WeNet holds no more than 10,000 samples.
  const Batches many =
      batches_of(Loader::wenet, {0}, {}, shards_of({Lengths(25000, 1)}),
                 {.by = Batching::By::buckets, .bins = {50}, .sizes = {100, 20000}}, std::nullopt);
  EXPECT_EQ(many.lengths, (Lengths{1e6, 1e6, 5e5}));
}

TEST(BatchesOf, ShuffledAsTheLoadersDo) {
  const auto order = [](Loader loader, std::size_t buffer) {
    return batches_of(loader, {0}, {}, one_shard(8), {.most = 1, .shuffle_buffer = buffer}, 7).lengths;
  };
  EXPECT_EQ(order(Loader::wenet, 3), (Lengths{200, 100, 400, 300, 500, 800, 600, 700}));
  EXPECT_EQ(order(Loader::wenet, 100), (Lengths{600, 200, 500, 100, 300, 800, 400, 700}));
  EXPECT_EQ(order(Loader::wenet_old, 5), (Lengths{500, 100, 400, 200, 300, 700, 800, 600}));
  EXPECT_EQ(order(Loader::webdataset, 3), (Lengths{1, 2, 5, 3, 6, 8, 7, 4}));
  EXPECT_EQ(order(Loader::nemo, 100), (Lengths{1, 2, 3, 4, 5, 6, 7, 8})) << "only shards are shuffled";
  EXPECT_EQ(order(Loader::wenet, 0), (Lengths{100, 200, 300, 400, 500, 600, 700, 800}));
}

TEST(BatchesOf, BucketsOfLikeDuration) {
  const Batching batching{
      .by = Batching::By::duration, .most = 9, .shuffle_buffer = 6, .sort_buffer = 0, .bins = {3, 6}};
  const Batches batches =
      batches_of(Loader::lhotse, {0}, {.rank = 0, .worker = 1, .workers = 2}, one_shard(8), batching, 7);
  EXPECT_EQ(batches.lengths, (Lengths{6, 10, 8, 7, 9}));
  EXPECT_EQ(batches.filled, 36);
}

TEST(Meet, StepsLastAsLongAsTheirLongestBatch) {
  const Batches a{.lengths = {4, 2, 2}, .filled = 6, .samples = 3};
  const Batches b{.lengths = {1}, .filled = 1, .samples = 1};
  const Batches c{.lengths = {5, 3}, .filled = 8, .samples = 4};
  const EpochSteps epoch = meet({{a, b}, {c}});
  EXPECT_EQ(epoch.steps, (std::vector<std::uint64_t>{4, 2}));
  EXPECT_EQ(epoch.spread(), 2u);
  EXPECT_EQ(epoch.samples, 8u);
  EXPECT_DOUBLE_EQ(epoch.padding, 1 - 15.0 / 17);
  // 4 1 2 2 against 5 3: steps of 5, 3, 2 and 2.
  EXPECT_DOUBLE_EQ(epoch.idle, 1 - 17.0 / 24);
}

TEST(Meet, NothingToDo) {
  const EpochSteps epoch = meet({{{}}, {{}}});
  EXPECT_EQ(epoch.most(), 0u);
  EXPECT_EQ(epoch.idle, 0);
}

}  // namespace
}  // namespace shardmill::deal
