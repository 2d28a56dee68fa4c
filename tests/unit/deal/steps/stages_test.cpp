#include "deal/steps/stages.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "deal/steps/numbers_of_python.hpp"

namespace shardmill::deal::steps {
namespace {

using ::testing::ElementsAre;

// DynamicBucketer with sync_buckets and TimeConstraint, written from Lhotse's own code: cuts are their
// durations.
constexpr std::string_view kBucketer = R"py(
import random
from bisect import bisect_left
def full(durations, most):
    longest = max(durations)
    return (len(durations) + 1) * longest > most
def ready(bucket, most):
    return any(full(bucket[:n], most) for n in range(1, len(bucket) + 1))
def draw(bucket, most, rng):
    order = list(range(len(bucket)))
    if rng is not None:
        rng.shuffle(order)
    taken = []
    for i in order:
        taken.append(i)
        if full([bucket[j] for j in taken], most):
            break
    batch = [bucket[i] for i in taken]
    for i in sorted(taken, reverse=True):
        del bucket[i]
    return batch
def by_distance(begin, count):
    found = [begin]
    for away in range(1, count):
        if begin - away >= 0:
            found.append(begin - away)
        if begin + away < count:
            found.append(begin + away)
    return found
def batches(cuts, most, buffer, bins, seed, worker):
    chooser = random.Random(1234 + worker)
    rng = None if seed is None else random.Random(seed)
    buckets = [[] for _ in range(len(bins) + 1)]
    cuts = iter(cuts)
    def collect(n):
        for _ in range(n):
            cut = next(cuts, None)
            if cut is None:
                return
            buckets[bisect_left(bins, cut)].append(cut)
    collect(buffer)
    while any(buckets):
        order = by_distance(chooser.randrange(len(buckets)), len(buckets))
        chosen = next((i for i in order if ready(buckets[i], most)), None)
        if chosen is None:
            chosen = next(i for i in order if buckets[i])
        batch = draw(buckets[chosen], most, rng)
        yield max(batch) * len(batch)
        collect(len(batch))
)py";

TEST(BatchesFromBuckets, AreLhotsesForAnyDurations) {
  std::mt19937 random(12);
  for (const bool shuffles : {false, true}) {
    for (const std::size_t buffer : {1U, 20U, 400U}) {
      std::vector<double> seconds(250);
      // Quarters of a second, which are written without any rounding.
      for (double& duration : seconds) duration = static_cast<double>(1 + random() % 80) / 4;
      const std::vector<double> bins{3, 5, 8.25, 14};
      const std::size_t worker = buffer % 3;
      const Buckets how{.most_seconds = 60,
                        .buffer = buffer,
                        .bins = bins,
                        .seed = shuffles ? std::optional<std::uint64_t>(77) : std::nullopt,
                        .worker = worker};
      const Batches batches = batches_from_buckets(seconds, how);
      EXPECT_EQ(batches.lengths,
                testing::numbers_of_python(
                    std::string(kBucketer) +
                    fmt::format("print(*batches({}, 60, {}, {}, {}, {}))\n", testing::as_python(seconds),
                                buffer, testing::as_python(bins), shuffles ? "77" : "None", worker)))
          << buffer << ", " << shuffles;
      EXPECT_EQ(batches.samples, seconds.size());
      EXPECT_EQ(batches.filled, std::accumulate(seconds.begin(), seconds.end(), 0.0));
    }
  }
}

TEST(BatchesFromBuckets, OneBucketIsFilledUntilOneMoreWouldNotFit) {
  const std::vector<double> no_bins;
  const Buckets how{.most_seconds = 10, .buffer = 100, .bins = no_bins, .seed = {}};
  // 2, 3 and 3 come to 9 with padding, and a fourth would make it 12.
  EXPECT_THAT(batches_from_buckets({2, 3, 3, 1, 1}, how).lengths, ElementsAre(9, 2));
}

TEST(BatchesFromBuckets, ASampleLongerThanABatchIsTakenAlone) {
  const std::vector<double> bins{5};
  const Buckets how{.most_seconds = 10, .buffer = 100, .bins = bins, .seed = {}};
  const Batches batches = batches_from_buckets({30, 40}, how);
  EXPECT_THAT(batches.lengths, ElementsAre(30, 40));
}

TEST(BatchesFromBuckets, NoSamplesNoBatches) {
  const std::vector<double> bins{5};
  const Batches batches =
      batches_from_buckets({}, {.most_seconds = 10, .buffer = 9, .bins = bins, .seed = 1});
  EXPECT_TRUE(batches.lengths.empty());
  EXPECT_EQ(batches.samples, 0U);
}

}  // namespace
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupsOf, EachBatchIsAsLongAsItsLongestSampleTimesItsSize) {
  const Batches batches = groups_of({1, 5, 2, 3, 4}, 2);
  EXPECT_THAT(batches.lengths, ElementsAre(10, 6, 4));
  EXPECT_EQ(batches.filled, 15);
  EXPECT_EQ(batches.samples, 5U);
}

TEST(GroupsOf, NothingMakesNoBatchAndALargeSizeOne) {
  EXPECT_THAT(groups_of({}, 3).lengths, IsEmpty());
  EXPECT_EQ(groups_of({}, 3).samples, 0U);
  EXPECT_THAT(groups_of({1, 2}, 100).lengths, ElementsAre(4));
  EXPECT_THAT(groups_of({1, 2}, 2).lengths, ElementsAre(4));
}

TEST(GroupsUpTo, PaddingCountsAndTheLimitMayBeReached) {
  // 4, then 4 and 4 with padding, which is just 8; the 5 begins the next, where a 3 would make it 10.
  const Batches batches = groups_up_to({4, 2, 5, 3, 3}, 8);
  EXPECT_THAT(batches.lengths, ElementsAre(8, 5, 6));
  EXPECT_EQ(batches.filled, 17);
  EXPECT_EQ(batches.samples, 5U);
}

TEST(GroupsUpTo, ASampleAboveTheLimitIsABatchOfItsOwn) {
  EXPECT_THAT(groups_up_to({9}, 8).lengths, ElementsAre(9));
  EXPECT_THAT(groups_up_to({1, 9, 1}, 8).lengths, ElementsAre(1, 9, 1));
  EXPECT_THAT(groups_up_to({}, 8).lengths, IsEmpty());
}

TEST(GroupsUpTo, TheNextEpochBeginsWithTheLongestOfTheLastBatch) {
  double longest = 0;
  EXPECT_THAT(groups_up_to({1, 1, 1, 4, 5}, 8, longest).lengths, ElementsAre(3, 4, 5));
  EXPECT_EQ(longest, 5);
  // With a 5, two samples would be too long, although these are short; they are padded to what they are.
  EXPECT_THAT(groups_up_to({1, 1, 2, 2, 2}, 8, longest).lengths, ElementsAre(1, 8));
  EXPECT_EQ(longest, 2);
  EXPECT_THAT(groups_up_to({}, 8, longest).lengths, IsEmpty());
  EXPECT_EQ(longest, 2) << "an epoch without samples changes nothing";
  EXPECT_THAT(groups_up_to({1, 1, 1, 1, 1}, 8, longest).lengths, ElementsAre(4, 1));
  longest = 9;
  EXPECT_THAT(groups_up_to({1, 1}, 8, longest).lengths, ElementsAre(2)) << "no batch can be empty";
}

/// WeNet's rule, each batch as a list of samples.
std::vector<double> lengths_up_to(const std::vector<double>& order, double most) {
  std::vector<std::vector<double>> batches;
  for (const double length : order) {
    if (!batches.empty()) {
      std::vector<double> tried = batches.back();
      tried.push_back(length);
      const double padded = *std::max_element(tried.begin(), tried.end()) * static_cast<double>(tried.size());
      if (padded <= most) {
        batches.back() = tried;
        continue;
      }
    }
    batches.push_back({length});
  }
  std::vector<double> lengths;
  for (const auto& batch : batches)
    lengths.push_back(*std::max_element(batch.begin(), batch.end()) * static_cast<double>(batch.size()));
  return lengths;
}

TEST(GroupsUpTo, IsTheRuleForAnyOrder) {
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> order(random() % 200);
    for (double& length : order) length = static_cast<double>(1 + random() % 1500);
    const auto most = static_cast<double>(500 + random() % 6000);
    EXPECT_EQ(groups_up_to(order, most).lengths, lengths_up_to(order, most));
  }
}

TEST(GroupsByLength, ABatchIsCompleteWhenItsBucketHasItsNumber) {
  // Below 3; from 3 up to below 10; from 10 on.
  const Batches batches = groups_by_length({1, 20, 3, 2, 9.5, 10, 4, 2.9}, {3, 10}, {2, 3, 2});
  // [1, 2] is complete first, then [20, 10], [3, 9.5, 4]; what is begun, [2.9], comes at the end.
  EXPECT_THAT(batches.lengths, ElementsAre(4, 40, 28.5, 2.9));
  EXPECT_EQ(batches.samples, 8U);
}

TEST(GroupsByLength, WhatIsBegunEndsInTheOrderInWhichItBegan) {
  EXPECT_THAT(groups_by_length({50, 1, 5, 6}, {3, 10}, {9, 9, 9}).lengths, ElementsAre(50, 1, 12));
}

TEST(GroupsByLength, TheLargestGroupGoesWhenTenThousandSamplesWait) {
  std::vector<double> order(4000, 1);
  order.insert(order.end(), 6001, 5);
  // The 10,000th sample ends the group of 6,000 fives; the last five begins a new one.
  EXPECT_THAT(groups_by_length(order, {3}, {99'999, 99'999}).lengths, ElementsAre(30'000, 4000, 5));
}

TEST(GroupsByLength, NoBinsMakeOneBucket) {
  EXPECT_THAT(groups_by_length({3, 1, 2}, {}, {2}).lengths, ElementsAre(6, 2));
}

}  // namespace
}  // namespace shardmill::deal::steps
