#include <gtest/gtest.h>

#include "doctor/node.hpp"

namespace shardmill::doctor {
namespace {

TEST(LoaderTrial, ReadsWhatPythonMeasured) {
  const LoaderSurvey survey = read_loaders(
      "noise\nshardmill asked: {\"trials\": [{\"reader\": \"tarfile and soundfile\", \"codec\": \"zstd\", "
      "\"samples\": 30, "
      "\"audio_seconds\": 90.5, \"seconds\": 0.5, \"problem\": \"\"}, {\"reader\": \"tarfile and "
      "soundfile\", \"codec\": "
      "\"xz\", \"samples\": 0, \"audio_seconds\": 0.0, \"seconds\": 0.0, \"problem\": "
      "\"no\\nprogram\"}]}\nmore\n");
  EXPECT_EQ(survey.problem, "");
  ASSERT_EQ(survey.trials.size(), 2u);
  EXPECT_TRUE(survey.trials[0].is_good());
  EXPECT_DOUBLE_EQ(survey.trials[0].speed(), 181);
  EXPECT_EQ(survey.trials[0].samples, 30u);
  EXPECT_FALSE(survey.trials[1].is_good());
  EXPECT_EQ(survey.trials[1].speed(), 0);
  EXPECT_EQ(survey.trials[1].problem.find('\n'), std::string::npos);
}

TEST(LoaderTrial, SaysWhyThereAreNone) {
  EXPECT_NE(read_loaders("shardmill asked: {\"trials\": []}\n").problem.find("soundfile"), std::string::npos);
  for (const char* const answer : {"", "nothing", "shardmill asked: {", "shardmill asked: {\"trials\": 7}",
                                   "shardmill asked: {\"trials\": [{\"reader\": \"a\"}]}"})
    EXPECT_NE(read_loaders(answer).problem.find("not valid"), std::string::npos) << answer;
}

}  // namespace
}  // namespace shardmill::doctor
