#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "deal/steps/numbers_of_python.hpp"
#include "deal/steps/stages.hpp"

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
}  // namespace shardmill::deal::steps
