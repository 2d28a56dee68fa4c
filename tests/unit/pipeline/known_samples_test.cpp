#include "pipeline/known_samples.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "source/source_set.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

base::Xxh128 sound(int number) {
  return base::xxh3_128(base::as_bytes("sound " + std::to_string(number)));
}

class SoundSets : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("sounds");
};

TEST_F(SoundSets, KnowTheFirstNameOfASound) {
  SoundSet set(path_);
  EXPECT_EQ(set.find(sound(1)), std::nullopt);
  set.insert(sound(1), "one");
  set.insert(sound(1), "uno");
  set.insert(sound(2), "");
  EXPECT_EQ(set.find(sound(1)), "one");
  EXPECT_EQ(set.find(sound(2)), "");
  EXPECT_EQ(set.size(), 2U);
}

TEST_F(SoundSets, SoundsWhoseHashesBeginAlikeAreDifferent) {
  base::Xxh128 one;
  base::Xxh128 other;
  other.bytes.back() = std::byte{1};
  SoundSet set(path_);
  set.insert(one, "zeros");
  EXPECT_EQ(set.find(other), std::nullopt);
  set.insert(other, "other");
  EXPECT_EQ(set.find(one), "zeros");
  EXPECT_EQ(set.find(other), "other");
}

TEST_F(SoundSets, GoOnFromAMark) {
  constexpr int kMany = 20'000;
  FileMark mark;
  {
    SoundSet set(path_);
    for (int i = 0; i < kMany; ++i) set.insert(sound(i), std::string(static_cast<std::size_t>(i % 90), 'n'));
    set.insert(sound(kMany), std::string(3 << 20, 'l'));  // longer than what is read at a time
    set.sync();
    mark = set.mark();
    set.insert(sound(kMany + 1), "lost");
    set.sync();
  }
  SoundSet set(path_);
  set.restore(mark);
  EXPECT_EQ(set.size(), kMany + 1U);
  for (int i = 0; i < kMany; i += 997)
    EXPECT_EQ(set.find(sound(i)), std::string(static_cast<std::size_t>(i % 90), 'n'));
  EXPECT_EQ(set.find(sound(kMany))->size(), 3U << 20);
  EXPECT_EQ(set.find(sound(kMany + 1)), std::nullopt);
  set.insert(sound(kMany + 1), "again");
  EXPECT_EQ(set.find(sound(kMany + 1)), "again");
}

TEST_F(SoundSets, SeeThatTheFileChanged) {
  FileMark mark;
  {
    SoundSet set(path_);
    set.insert(sound(1), "one");
    set.sync();
    mark = set.mark();
  }
  base::File::open_update(path_).write_at(base::as_bytes("x"), 20);
  SoundSet set(path_);
  EXPECT_THROW(set.restore(mark), Error);
}

using testing::MadeDataset;

base::Xxh128 hash(std::string_view key) {
  return base::xxh3_128(base::as_bytes(key));
}

TEST(KeyClaimsTest, TheSourceGivenFirstHasTheKey) {
  KeyClaims claims;
  EXPECT_FALSE(claims.has_earlier(hash("a"), 5));
  claims.add(hash("a"), 3);
  claims.add(hash("a"), 1);
  claims.add(hash("a"), 2);
  EXPECT_TRUE(claims.has_earlier(hash("a"), 2));
  EXPECT_FALSE(claims.has_earlier(hash("a"), 1));
  EXPECT_FALSE(claims.has_earlier(hash("a"), 0));
  EXPECT_FALSE(claims.has_earlier(hash("b"), 9));
}

/// Claims of a finished dataset that was given first.
class ClaimsOfTest : public ::testing::Test {
 protected:
  std::shared_ptr<const KeyClaims> claims(const std::string& source, IntakeOptions options = {},
                                          double weight = 1) {
    options.on_duplicate = wish_;
    Inputs inputs;
    inputs.datasets = {{.name = "set", .weight = weight}};
    const auto set = source::find_sources({source}, {});
    for (const auto& dataset : set.datasets)
      inputs.streams.push_back({.name = dataset.name, .files = dataset.files, .datasets = {0}});
    return claims_of(inputs, options, 0, made_.workers(), made_.reporter());
  }
  OnDuplicate wish_ = OnDuplicate::first;

  static std::size_t claimed(const KeyClaims& claims) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < MadeDataset::kSamples; ++i)
      count += claims.has_earlier(hash("key" + std::to_string(i)), 1) ? 1 : 0;
    return count;
  }

  MadeDataset made_;
};

TEST_F(ClaimsOfTest, AllKeysOfAFinishedDataset) {
  const auto found = claims(made_.folder());
  ASSERT_TRUE(found);
  EXPECT_EQ(claimed(*found), MadeDataset::kSamples);
  EXPECT_FALSE(found->has_earlier(hash("key0"), 0));
  EXPECT_FALSE(found->has_earlier(hash("key10"), 1));
}

TEST_F(ClaimsOfTest, WhereTheFirstIsNotKeptNothingIsClaimed) {
  wish_ = OnDuplicate::rename;
  EXPECT_FALSE(claims(made_.folder()));
}

TEST_F(ClaimsOfTest, ShardsThatNobodyListedClaimNothing) {
  EXPECT_FALSE(claims("set=" + made_.source()));
}

TEST_F(ClaimsOfTest, SamplesThatFiltersLeaveOutDoNotTakeThePlaceOfOthers) {
  // The samples are 100 ms long, 110 ms, 120 ms, ...
  EXPECT_EQ(claimed(*claims(made_.folder(), {.filters = {.min_seconds = 0.145}})), 5u);
  EXPECT_EQ(claimed(*claims(made_.folder(), {.filters = {.max_seconds = 0.115}})), 2u);
  EXPECT_EQ(claimed(*claims(made_.folder(), {.keys = {.include = {"key[0-3]"}, .exclude = {"key2"}}})), 3u);
  EXPECT_EQ(claimed(*claims(made_.folder(), {.filters = {.require_text = true}})), MadeDataset::kSamples);
}

TEST_F(ClaimsOfTest, AWeightTakesOnlyAPart) {
  const std::size_t half = claimed(*claims(made_.folder(), {}, 0.5));
  EXPECT_GT(half, 0u);
  EXPECT_LT(half, MadeDataset::kSamples);
  EXPECT_EQ(claimed(*claims(made_.folder(), {}, 3)), MadeDataset::kSamples);
}

TEST_F(ClaimsOfTest, AManifestThatCannotBeReadClaimsNothingAndStopsNobody) {
  const std::string manifest = "manifests/manifest_000000000.json";
  const auto before = claims(made_.folder());
  made_.write(manifest, "no manifest\n");
  const auto set = claims(made_.folder());
  ASSERT_TRUE(set);
  EXPECT_EQ(claimed(*set), 5u);
}

}  // namespace
}  // namespace shardmill::pipeline
