#include <gtest/gtest.h>

#include "doctor/node.hpp"

namespace shardmill::doctor {
namespace {

TEST(Python, FindsTheAnswerAmongOtherLines) {
  const PythonSurvey survey = read_python(
      "hello\nshardmill asked: {\"torch\": \"old\"}\nshardmill asked: {\"torch\": \"2.4\", \"cuda\": null, "
      "\"devices\": "
      "3, \"kernels\": [\"sm_90\"]}\nbye");
  EXPECT_EQ(survey.torch, "2.4");
  EXPECT_EQ(survey.cuda, "");
  EXPECT_EQ(survey.devices, 3);
  EXPECT_EQ(survey.kernels, std::vector<std::string>{"sm_90"});
  EXPECT_EQ(survey.problem, "");
}

TEST(Python, SaysThatNonsenseIsNonsense) {
  for (const char* const answer : {"", "hello", "shardmill asked: ", "shardmill asked: {\"devices\": -1}",
                                   "shardmill asked: {\"kernels\": 3}", "shardmill asked: [1]"}) {
    EXPECT_NE(read_python(answer).problem, "") << answer;
    EXPECT_TRUE(read_python(answer).is_found) << answer;
  }
}

TEST(Python, KnowsWhichKernelsRun) {
  EXPECT_TRUE(runs_on({"sm_80"}, "8.0"));
  EXPECT_TRUE(runs_on({"sm_80"}, "8.9"));
  EXPECT_FALSE(runs_on({"sm_86"}, "8.0"));
  EXPECT_FALSE(runs_on({"sm_80"}, "9.0"));
  EXPECT_TRUE(runs_on({"compute_80"}, "9.0"));
  EXPECT_TRUE(runs_on({"compute_80"}, "12.0"));
  EXPECT_FALSE(runs_on({"compute_90"}, "8.0"));
  EXPECT_TRUE(runs_on({"sm_100"}, "10.0"));
  EXPECT_TRUE(runs_on({"sm_90a"}, "9.0"));
  EXPECT_FALSE(runs_on({"nonsense", "sm_"}, "9.0"));
  EXPECT_TRUE(runs_on({"sm_80"}, "")) << "it is not known";
}

}  // namespace
}  // namespace shardmill::doctor
