#include "pipeline/placing/unchecked_samples.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace shardmill::pipeline {
namespace {

constexpr FileNumber kFile{.stream = 0, .file = 3};
constexpr FileNumber kOther{.stream = 1, .file = 3};

TEST(UncheckedSamples, AddUpOverThePiecesOfAStream) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  samples.add(kFile, 200, 2);
  samples.end_piece(kFile, 0);
  samples.add(kOther, 100, 1);
  samples.end_piece(kOther, 0);
  samples.add(kFile, 300, 1);
  EXPECT_EQ(samples.doubt(kFile, 0, 350, 0), 4U);
  EXPECT_EQ(samples.state().at(kOther).samples, 1U);
}

TEST(UncheckedSamples, OfStreamsThatEndedAreRight) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  samples.end_piece(kFile, 0);
  samples.add(kFile, 200, 1);
  samples.add(kFile, 260, 1);  // ends in the next stream
  samples.add(kFile, 300, 1);
  samples.end_piece(kFile, 250);
  EXPECT_EQ(samples.doubt(kFile, 250, 300, 0), 2U);
}

TEST(UncheckedSamples, AStreamMayBeginInThePieceThatIsDamaged) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  samples.end_piece(kFile, 0);
  samples.add(kFile, 200, 1);
  samples.add(kFile, 300, 1);
  EXPECT_EQ(samples.doubt(kFile, 250, 300, 0), 1U);
}

TEST(UncheckedSamples, ThatComeAfterTheDamageBelongToTheirDoubt) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 1);
  EXPECT_EQ(samples.doubt(kFile, 0, 250, 7), 1U);
  samples.end_piece(kFile, 250);
  EXPECT_EQ(samples.add(kFile, 240, 1), 7U);
  EXPECT_EQ(samples.add(kFile, 300, 1), std::nullopt);
  EXPECT_EQ(samples.add(kOther, 240, 1), std::nullopt);
  samples.end_file(kFile);
  EXPECT_EQ(samples.add(kFile, 240, 1), std::nullopt);
}

TEST(UncheckedSamples, GoOnFromTheirState) {
  UncheckedSamples samples;
  samples.add(kFile, 100, 5);
  samples.end_piece(kFile, 50);
  auto state = samples.state();
  UncheckedSamples resumed(std::move(state));
  resumed.add(kFile, 200, 1);
  EXPECT_EQ(resumed.doubt(kFile, 50, 250, 0), 6U);
}

TEST(UncheckedSamples, OfUnknownPlacesAreNotCounted) {
  UncheckedSamples samples;
  samples.add(kFile, 0, 1);
  samples.end_piece(kFile, 0);
  EXPECT_TRUE(samples.state().empty());
}

}  // namespace
}  // namespace shardmill::pipeline
