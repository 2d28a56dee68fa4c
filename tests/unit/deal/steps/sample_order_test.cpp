#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "deal/steps/numbers_of_python.hpp"
#include "deal/steps/stages.hpp"

namespace shardmill::deal::steps {
namespace {

using ::testing::ElementsAre;

/// `shards` shards; sample `i` of shard `s` lasts 1000 s + i seconds, and has ten times as many frames.
ShardLengths numbered_shards(std::size_t shards, std::size_t samples) {
  ShardLengths lengths(shards);
  for (std::size_t shard = 0; shard < shards; ++shard) {
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t number = 1000 * shard + i;
      lengths[shard].push_back(
          {.seconds = static_cast<double>(number), .frames = static_cast<std::uint32_t>(10 * number)});
    }
  }
  return lengths;
}

// The shuffles of PyTorch and WebDataset, written from their own code.
constexpr std::string_view kShuffles = R"py(
import random
def torch(items, size, seed):
    rng, buffer = random.Random(seed), []
    for x in items:
        if len(buffer) == size:
            i = rng.randint(0, len(buffer) - 1)
            val, buffer[i] = buffer[i], x
            yield val
        else:
            buffer.append(x)
    while buffer:
        yield buffer.pop(rng.randint(0, len(buffer) - 1))
def pick(buf, rng):
    k = rng.randint(0, len(buf) - 1)
    sample = buf[k]
    buf[k] = buf[-1]
    buf.pop()
    return sample
def webdataset(data, bufsize, rng, initial=100):
    data, initial, buf = iter(data), min(initial, bufsize), []
    for sample in data:
        buf.append(sample)
        if len(buf) < bufsize:
            try:
                buf.append(next(data))
            except StopIteration:
                pass
        if len(buf) >= initial:
            yield pick(buf, rng)
    while len(buf) > 0:
        yield pick(buf, rng)
def wenet_old(items, size, seed):
    rng = random.Random(seed)
    for begin in range(0, len(items), size):
        some = items[begin:begin + size]
        rng.shuffle(some)
        yield from some
)py";

std::vector<double> by_python(const std::string& expression) {
  return testing::numbers_of_python(std::string(kShuffles) + "print(*" + expression + ")\n");
}

TEST(SampleOrder, WithoutASeedSamplesComeAsTheyStandInTheShards) {
  const ShardLengths lengths = numbered_shards(3, 2);
  const Shuffling none{.seed = {}, .shuffle_buffer = 100};
  EXPECT_THAT(sample_order(Loader::wenet, {2, 0}, {}, lengths, none), ElementsAre(20'000, 20'010, 0, 10));
  EXPECT_THAT(sample_order(Loader::wenet_old, {2, 0}, {}, lengths, none), ElementsAre(20'000, 20'010, 0, 10));
  for (const Loader loader : {Loader::webdataset, Loader::nemo, Loader::lhotse})
    EXPECT_THAT(sample_order(loader, {2, 0}, {}, lengths, none), ElementsAre(2000, 2001, 0, 1));
}

TEST(SampleOrder, WithoutABufferASeedChangesNothing) {
  const ShardLengths lengths = numbered_shards(2, 50);
  for (const Loader loader : {Loader::wenet, Loader::wenet_old, Loader::webdataset, Loader::nemo}) {
    EXPECT_EQ(sample_order(loader, {0, 1}, {}, lengths, {.seed = 3}),
              sample_order(loader, {0, 1}, {}, lengths, Shuffling()));
  }
}

TEST(SampleOrder, NoShardsGiveNoSamples) {
  EXPECT_TRUE(sample_order(Loader::wenet, {}, {}, {}, {.seed = 1, .shuffle_buffer = 10}).empty());
  EXPECT_TRUE(sample_order(Loader::webdataset, {}, {}, {}, {.seed = 1, .shuffle_buffer = 10}).empty());
}

TEST(SampleOrder, WenetShufflesAsTorchDoesWithBuffersSmallerAndLargerThanItsSamples) {
  const ShardLengths lengths = numbered_shards(1, 300);
  for (const std::size_t buffer : {1U, 7U, 300U, 5000U}) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{5}}) {
      EXPECT_EQ(sample_order(Loader::wenet, {0}, {}, lengths, {.seed = seed, .shuffle_buffer = buffer}),
                by_python(fmt::format("torch([10 * i for i in range(300)], {}, {})", buffer, seed)))
          << buffer << ", " << seed;
    }
  }
}

TEST(SampleOrder, WenetShufflesAlikeInAllWorkersAndItsOldVersionsDoNot) {
  const ShardLengths lengths = numbered_shards(1, 100);
  const Shuffling how{.seed = 9, .shuffle_buffer = 30};
  const Place other{.rank = 3, .worker = 2, .workers = 4};
  EXPECT_EQ(sample_order(Loader::wenet, {0}, other, lengths, how),
            sample_order(Loader::wenet, {0}, {}, lengths, how));
  EXPECT_EQ(sample_order(Loader::wenet_old, {0}, other, lengths, how),
            by_python("wenet_old([10 * i for i in range(100)], 30, 9 + 2)"));
}

TEST(SampleOrder, SortingComesAfterShufflingABufferAtATime) {
  const ShardLengths lengths = numbered_shards(1, 100);
  for (const Loader loader : {Loader::wenet, Loader::wenet_old}) {
    std::vector<double> expected = sample_order(loader, {0}, {}, lengths, {.seed = 2, .shuffle_buffer = 40});
    std::sort(expected.begin(), expected.begin() + 60);
    std::sort(expected.begin() + 60, expected.end());
    EXPECT_EQ(sample_order(loader, {0}, {}, lengths, {.seed = 2, .shuffle_buffer = 40, .sort_buffer = 60}),
              expected);
  }
}

TEST(SampleOrder, WebdatasetShufflesShardsAndThenSamples) {
  const ShardLengths lengths = numbered_shards(5, 120);
  for (const std::size_t buffer : {3U, 99U, 150U, 1000U}) {
    EXPECT_EQ(
        sample_order(Loader::webdataset, {0, 1, 2, 3, 4}, {}, lengths, {.seed = 6, .shuffle_buffer = buffer}),
        by_python(fmt::format("(lambda rng: webdataset([1000 * s + i for s in list(webdataset(range(5), 100, "
                              "rng)) for i in range(120)], {}, rng))(random.Random(6))",
                              buffer)))
        << buffer;
  }
}

TEST(SampleOrder, NemoShufflesShardsOnly) {
  const ShardLengths lengths = numbered_shards(9, 3);
  EXPECT_EQ(
      sample_order(Loader::nemo, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {}, lengths,
                   {.seed = 6, .shuffle_buffer = 2048}),
      by_python("[1000 * s + i for s in webdataset(range(9), 2048, random.Random(6)) for i in range(3)]"));
}

TEST(SampleOrder, EachWorkerOfWebdatasetHasItsOwnOrder) {
  const ShardLengths lengths = numbered_shards(1, 50);
  const Shuffling how{.seed = 1, .shuffle_buffer = 20};
  const auto order = [&](std::size_t rank, std::size_t worker) {
    return sample_order(Loader::webdataset, {0}, {.rank = rank, .worker = worker, .workers = 2}, lengths,
                        how);
  };
  EXPECT_NE(order(0, 0), order(0, 1));
  EXPECT_NE(order(0, 0), order(1, 0));
  EXPECT_NE(order(0, 1), order(1, 0));
}

}  // namespace
}  // namespace shardmill::deal::steps
