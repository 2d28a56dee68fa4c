#include "pipeline/measure/rejects.hpp"

#include <gtest/gtest.h>

namespace shardmill::pipeline {
namespace {

using manifest::RejectReason;

const Origin kOrigin{.dataset = 1, .dataset_name = "set", .source = "a.tar"};

TEST(Rejects, AFindingThatLosesNothingIsNone) {
  for (const ShardProblem problem : {ShardProblem::directory, ShardProblem::odd_name, ShardProblem::resumed})
    EXPECT_EQ(reject_of(ShardFinding{.problem = problem, .name = "x", .text = "is odd"}, kOrigin),
              std::nullopt);
}

TEST(Rejects, DamageLosesAnUnknownNumberOfSamplesUnlessTheyAreListed) {
  const ShardFinding finding{
      .problem = ShardProblem::bad_header, .name = "", .offset = 512, .bytes = 1024, .text = "is damaged"};
  const auto reject = reject_of(finding, kOrigin);
  ASSERT_TRUE(reject);
  EXPECT_EQ(reject->reason, RejectReason::damaged_source);
  EXPECT_TRUE(reject->samples_unknown);
  EXPECT_EQ(reject->tar_bytes->begin, 512u);
  EXPECT_EQ(reject->tar_bytes->end, 1536u);
  Origin listed = kOrigin;
  listed.is_listed = true;
  EXPECT_EQ(reject_of(finding, listed)->samples, 0u);
}

TEST(Rejects, WhatAReaderLostGetsItsPlace) {
  const auto reject = reject_of(lost_utterance("k", RejectReason::bad_segment, "begins at 3 s"), kOrigin, {});
  EXPECT_EQ(reject.dataset, "set");
  EXPECT_EQ(reject.source, "a.tar");
  EXPECT_EQ(reject.key, "k");
  EXPECT_EQ(reject.reason, RejectReason::bad_segment);
}

TEST(Rejects, WhatTheUserDidNotWantIsNoError) {
  const KeyPatterns keys{.include = {}, .exclude = {"k*"}};
  const auto lost = reject_of(lost_utterance("k", RejectReason::bad_audio, "is damaged"), kOrigin, keys);
  EXPECT_EQ(lost.reason, RejectReason::excluded);
  EXPECT_FALSE(is_error(lost.reason));
  const source::Unusable unusable{
      .what = source::Unusable::What::audio, .key = "k", .error = Error("is not there", at("k.wav"))};
  EXPECT_EQ(reject_of(unusable, keys).reason, RejectReason::excluded);
  EXPECT_EQ(reject_of(unusable, {}).reason, RejectReason::missing_audio);
  EXPECT_EQ(reject_of(unusable, {}).source, "k.wav");
}

}  // namespace
}  // namespace shardmill::pipeline
