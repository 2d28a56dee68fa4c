#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {
namespace {

using ::testing::HasSubstr;
using testing::noise;
using testing::Outcome;
using testing::read_bytes;
using testing::Schedule;
using testing::text_like;
using testing::through;

std::string in_blocks(const std::string& plain) {
  return through("xz -0c -T1 --block-size=200000", plain);
}

TEST(XzReader, ABlockIsAPiece) {
  const std::string plain = text_like(1'100'000);
  const std::string file = in_blocks(plain);
  for (const Schedule schedule : {Schedule::in_order, Schedule::random, Schedule::threads,
                                  Schedule::overlapping, Schedule::reading_only}) {
    const Outcome outcome = read_bytes(file, schedule);
    EXPECT_TRUE(outcome.good());
    EXPECT_TRUE(outcome.plain == plain);
    EXPECT_EQ(outcome.piece_bytes.size(), 6U);
    EXPECT_EQ(std::accumulate(outcome.piece_bytes.begin(), outcome.piece_bytes.end(), std::uint64_t{0}),
              file.size());
  }
}

TEST(XzReader, NoSpanIsLargerThanOthersExpect) {
  const Outcome outcome = read_bytes(through("xz -0c --block-size=9000000", std::string(20'000'000, 'x')));
  EXPECT_EQ(outcome.plain.size(), 20'000'000U);
  EXPECT_LE(outcome.largest_span, std::size_t{4} << 20);
}

TEST(XzReader, AfterADamagedBlockTheNextOnesAreRead) {
  const std::string plain = noise(1'000'000);
  std::string file = in_blocks(plain);
  file[file.size() / 2] ^= 0x20;  // in the third of five
  const Outcome outcome = read_bytes(file, Schedule::threads);
  ASSERT_EQ(outcome.errors.size(), 1U);
  EXPECT_THAT(outcome.errors[0], HasSubstr("block 2 at offset"));
  EXPECT_THAT(outcome.errors[0], HasSubstr("damaged xz data"));
  EXPECT_TRUE(outcome.plain.starts_with(plain.substr(0, 400'000)));
  EXPECT_TRUE(outcome.plain.ends_with(plain.substr(600'000)));
}

TEST(XzReader, OneBlockAndPipesAreReadFromFrontToBack) {
  const std::string plain = noise(700'000);
  EXPECT_GT(read_bytes(through("xz -0c", plain)).piece_bytes.size(), 1U);  // slices of the file
  EXPECT_TRUE(testing::read_pipe(in_blocks(plain)).plain == plain);
}

TEST(XzReader, ACutFileGivesWhatItHas) {
  const std::string plain = noise(1'000'000);
  const std::string file = in_blocks(plain);
  const Outcome outcome = read_bytes(file.substr(0, file.size() / 2));
  ASSERT_EQ(outcome.errors.size(), 1U);
  EXPECT_THAT(outcome.errors[0], HasSubstr("truncated"));
  EXPECT_GT(outcome.plain.size(), 400'000U);
  EXPECT_TRUE(plain.starts_with(outcome.plain));
}

TEST(XzReader, WhatFollowsTheLastStreamIsNamed) {
  const std::string file = in_blocks(noise(500'000)) + "garbage";
  EXPECT_EQ(read_bytes(file).errors.size(), 1U);
  EXPECT_EQ(testing::read_ignoring_trailing(file).warnings.size(), 1U);
}

}  // namespace
}  // namespace shardmill::codec
