#include "cli/output/doubt_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;

TEST(DoubtText, IsSilentWithoutDoubt) {
  EXPECT_EQ(doubt_as_text({}), "");
}

TEST(DoubtText, CountsTheSamplesOfAllStreams) {
  manifest::DatasetRecord dataset;
  dataset.doubtful.push_back({.dataset = "a", .source = "a.tar.gz", .begin = 0, .end = 100, .samples = 1});
  EXPECT_THAT(doubt_as_text(dataset), HasSubstr("1 sample may be wrong, because a compressed stream is"));
  dataset.doubtful.push_back({.dataset = "b", .source = "b.tar.gz", .begin = 0, .end = 100, .samples = 1999});
  const std::string text = doubt_as_text(dataset);
  EXPECT_THAT(text, HasSubstr("2,000 samples may be wrong, because 2 compressed streams are"));
  EXPECT_THAT(text, HasSubstr("dataset.json"));
  EXPECT_TRUE(text.ends_with("\n"));
}

}  // namespace
}  // namespace shardmill::cli
