#include "deal/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/io/file.hpp"

namespace shardmill::deal {
namespace {

using Samples = std::vector<std::pair<SplitChooser::Group, Duration>>;
using std::chrono::seconds;

SplitChooser::Group group(std::uint64_t number) {
  return base::xxh3_128(base::as_bytes(std::to_string(number)));
}

SplitWish wish(std::initializer_list<std::pair<const std::string, Duration>> amounts) {
  return {.by = SplitBy::speaker, .amounts = amounts};
}

SplitChooser fed(const SplitWish& wanted, const Samples& samples) {
  SplitChooser chooser(wanted);
  for (const auto& [speaker, duration] : samples) chooser.add(speaker, duration);
  return chooser;
}

TEST(SplitChooser, RandomSpeakersAndAmounts) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t speakers = 5 + random() % 400;
    Samples samples;
    std::map<SplitChooser::Group, Duration> totals;
    Duration all{};
    for (std::uint64_t i = 0; i < 5 * speakers; ++i) {
      const auto speaker =
          group(random() % speakers * (random() % 2));  // one of them speaks half of the time
      const Duration duration = std::chrono::milliseconds(100 + random() % 9000);
      samples.emplace_back(speaker, duration);
      totals[speaker] += duration;
      all += duration;
    }
    const SplitWish wanted = wish({{"dev", all / (10 + round % 20)}, {"test", all / 30}});
    const SplitChooser::Choice choice = fed(wanted, samples).choose();
    std::vector<Duration> sums(2);
    Duration least_left = Duration::max();
    for (const auto& [speaker, total] : totals) {
      const auto split = choice.split_of.find(speaker);
      if (split != choice.split_of.end()) {
        sums[split->second] += total;
      } else {
        least_left = std::min(least_left, total);
      }
    }
    EXPECT_EQ(sums, choice.durations);
    EXPECT_EQ(all - sums[0] - sums[1], choice.rest);
    EXPECT_GT(choice.rest, Duration{});
    Duration most{};
    for (const auto& [speaker, total] : totals) {
      if (choice.split_of.contains(speaker)) most = std::max(most, total);
    }
    EXPECT_LE(std::chrono::abs(sums[0] - wanted.amounts.at("dev")), most);
    EXPECT_LE(std::chrono::abs(sums[1] - wanted.amounts.at("test")), most);
    // Nor does the order matter, nor an interruption.
    std::shuffle(samples.begin(), samples.end(), random);
    SplitChooser first = fed(wanted, {samples.begin(), samples.begin() + 17});
    SplitChooser second(wanted);
    second.restore(first.state());
    for (auto sample = samples.begin() + 17; sample != samples.end(); ++sample)
      second.add(sample->first, sample->second);
    EXPECT_EQ(second.choose().split_of, choice.split_of);
  }
}

TEST(SplitChooser, SingleSamplesComeCloseAndFewAreKept) {
  std::mt19937_64 random(6);
  const SplitWish wanted = wish({{"dev", seconds(700)}});
  SplitChooser chooser(wanted);
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0; i < 50'000; ++i)
    kept += chooser.add(group(i), std::chrono::milliseconds(1000 + random() % 9000)) ? 1 : 0;
  EXPECT_LT(kept, 4000u);  // of about 250 that are wanted
  EXPECT_LT(chooser.state().kept.size(), 400u);
  EXPECT_LT(std::chrono::abs(chooser.choose().durations[0] - Duration(seconds(700))), seconds(1));
}

TEST(SplitChooser, AGroupThatIsKeptWasKeptFromItsFirstSample) {
  std::mt19937_64 random(7);
  const SplitWish wanted = wish({{"dev", seconds(50)}, {"test", seconds(20)}});
  SplitChooser chooser(wanted);
  std::map<SplitChooser::Group, Duration> kept;
  for (int i = 0; i < 5000; ++i) {
    const auto speaker = group(random() % 200);
    const Duration duration = std::chrono::milliseconds(100 + random() % 9000);
    if (chooser.add(speaker, duration)) kept[speaker] += duration;
  }
  for (const auto& [speaker, total] : chooser.state().kept) EXPECT_EQ(kept[speaker], total);
}

TEST(SplitChooser, WhatCannotBeReached) {
  const Samples few{{group(1), seconds(5)}, {group(2), seconds(5)}};
  EXPECT_THROW(fed(wish({{"dev", seconds(11)}}), few).choose(), SplitError);
  EXPECT_THROW(fed(wish({{"dev", seconds(10)}}), few).choose(), SplitError);
  EXPECT_THROW(fed(wish({{"dev", seconds(4)}, {"test", seconds(4)}}), few).choose(), SplitError);
  EXPECT_EQ(fed(wish({{"dev", seconds(4)}}), few).choose().durations[0], Duration(seconds(5)));
}

/// Speakers of one dataset, all of the same length.
void feed(SplitPools& pools, const std::string& dataset, int speakers, Duration each) {
  for (int i = 0; i < speakers; ++i)
    pools.add(dataset, base::xxh3_128(base::as_bytes(dataset + std::to_string(i))), each);
}

/// The audio that a split gets from a dataset of feed().
Duration part_of(const SplitChooser::Choice& choice, std::uint32_t split, const std::string& dataset,
                 int speakers, Duration each) {
  Duration sum{};
  for (int i = 0; i < speakers; ++i) {
    const auto found = choice.split_of.find(base::xxh3_128(base::as_bytes(dataset + std::to_string(i))));
    if (found != choice.split_of.end() && found->second == split) sum += each;
  }
  return sum;
}

TEST(SplitPools, EachDatasetGivesItsShare) {
  SplitPools pools(wish({{"dev", seconds(100)}, {"test", seconds(50)}}));
  feed(pools, "large", 700, seconds(1));
  feed(pools, "small", 100, seconds(2));
  feed(pools, "talk", 1, seconds(100));  // stays in train
  const SplitChooser::Choice choice = pools.choose();
  EXPECT_EQ(choice.durations[0], Duration(seconds(100)));
  EXPECT_EQ(choice.durations[1], Duration(seconds(50)));
  EXPECT_EQ(choice.rest, Duration(seconds(850)));
  EXPECT_EQ(part_of(choice, 0, "large", 700, seconds(1)), Duration(seconds(80)));
  EXPECT_EQ(part_of(choice, 0, "talk", 1, seconds(100)), Duration{});
  EXPECT_EQ(part_of(choice, 0, "small", 100, seconds(2)), Duration(seconds(20)));
  EXPECT_EQ(part_of(choice, 1, "small", 100, seconds(2)), Duration(seconds(10)));
}

TEST(SplitPools, OneDatasetGivesAll) {
  SplitWish wanted = wish({{"dev", seconds(30)}, {"test", seconds(40)}});
  wanted.datasets = {{"dev", "small"}};
  SplitPools pools(wanted);
  feed(pools, "large", 300, seconds(1));
  feed(pools, "small", 100, seconds(1));
  SplitPools again(wanted);
  again.restore(pools.state());
  const SplitChooser::Choice choice = again.choose();
  EXPECT_EQ(part_of(choice, 0, "small", 100, seconds(1)), Duration(seconds(30)));
  EXPECT_EQ(part_of(choice, 1, "large", 300, seconds(1)), Duration(seconds(30)));
  EXPECT_EQ(part_of(choice, 1, "small", 100, seconds(1)), Duration(seconds(10)));
  EXPECT_EQ(choice.split_of, pools.choose().split_of);
}

TEST(SplitPools, SharesSmallerThanAnySpeaker) {
  SplitPools pools(wish({{"dev", seconds(1)}}));
  for (const char* dataset : {"a", "b", "c"}) feed(pools, dataset, 4, seconds(10));
  const SplitChooser::Choice choice = pools.choose();
  EXPECT_EQ(choice.split_of.size(), 1U);
  EXPECT_EQ(choice.rest, Duration(seconds(110)));
}

TEST(SplitPools, SomethingIsLeftToTrainOn) {
  SplitPools pools(wish({{"dev", seconds(9)}, {"test", seconds(9)}}));
  feed(pools, "a", 1, seconds(10));
  feed(pools, "b", 1, seconds(10));
  EXPECT_THROW(pools.choose(), SplitError);
}

}  // namespace
}  // namespace shardmill::deal
