#include "pipeline/intake/corpus_sample.hpp"

#include <gtest/gtest.h>

#include "audio/probe.hpp"
#include "support/bytes.hpp"
#include "support/made_wav.hpp"

namespace shardmill::pipeline {
namespace {

using Container = audio::WantedForm::Container;

class RecastTest : public ::testing::Test {
 protected:
  RecastTest() {
    member.name = "a.wave";
    member.extension = "wave";
    member.bytes = testing::bytes_of(testing::made_wav(16'000));
    info = audio::probe(member.bytes).info;
    original = member.bytes;
  }

  Member member;
  AudioInfo info;
  Bytes original;
};

TEST_F(RecastTest, NothingIsDoneWhereNothingIsWanted) {
  const Recast done = recast(member, info, {});
  EXPECT_EQ(done.problem, "");
  EXPECT_FALSE(done.source_xxh3);
  EXPECT_EQ(member.bytes, original);
  EXPECT_EQ(member.extension, "wave");
}

TEST_F(RecastTest, AudioThatHasTheFormKeepsItsBytes) {
  const Recast done = recast(member, info, {.container = Container::wav, .sample_rate = 16'000});
  EXPECT_EQ(done.problem, "");
  EXPECT_FALSE(done.source_xxh3);
  EXPECT_EQ(member.bytes, original);
  EXPECT_EQ(member.extension, "wav") << "as the container that was asked for";
}

TEST_F(RecastTest, WhatChangesIsRememberedByTheHashOfItsSource) {
  const Recast done = recast(member, info, {.container = Container::flac});
  EXPECT_EQ(done.problem, "");
  EXPECT_EQ(done.source_xxh3, base::xxh3_128(original));
  EXPECT_EQ(member.extension, "flac");
  EXPECT_EQ(info.format, "flac/pcm16");
  EXPECT_EQ(info.frames, 16'000U);
  const auto probed = audio::probe(member.bytes);
  EXPECT_EQ(probed.info.format, info.format);
  EXPECT_EQ(probed.info.frames, info.frames);
}

TEST_F(RecastTest, AnotherRateInTheSameContainer) {
  const Recast done = recast(member, info, {.sample_rate = 8'000});
  EXPECT_TRUE(done.source_xxh3);
  EXPECT_EQ(info.sample_rate, 8'000U);
  EXPECT_EQ(info.frames, 8'000U);
  EXPECT_EQ(member.extension, "wav");
}

TEST_F(RecastTest, ListeningChangesNothing) {
  const Recast done = recast(member, info, {.hearing = {.quality = true, .sound = true}});
  EXPECT_FALSE(done.source_xxh3);
  EXPECT_TRUE(done.heard.quality);
  EXPECT_TRUE(done.heard.sound);
  EXPECT_EQ(member.bytes, original);
  EXPECT_EQ(member.extension, "wave");
}

TEST_F(RecastTest, AudioThatCannotBeDecodedIsAProblemAndStaysAsItIs) {
  member.bytes.resize(member.bytes.size() / 2);
  for (std::size_t i = 0; i < 20; ++i) member.bytes[i] = std::byte{0};
  const Bytes broken = member.bytes;
  const Recast done = recast(member, info, {.container = Container::flac});
  EXPECT_NE(done.problem, "");
  EXPECT_FALSE(done.source_xxh3);
  EXPECT_EQ(member.bytes, broken);
  EXPECT_EQ(member.extension, "wave");
}

}  // namespace
}  // namespace shardmill::pipeline
