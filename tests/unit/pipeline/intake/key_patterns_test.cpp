#include "pipeline/intake/key_patterns.hpp"

#include <gtest/gtest.h>

namespace shardmill::pipeline {
namespace {

TEST(KeyPatterns, WithoutPatternsAllAreWanted) {
  const KeyPatterns none;
  EXPECT_TRUE(none.includes("a"));
  EXPECT_EQ(none.excludes("a"), nullptr);
}

TEST(KeyPatterns, MatchWholeKeysAsTheShellDoes) {
  const KeyPatterns patterns{.include = {"BAC*", "dir/*", "u?", "[x-z]1"}, .exclude = {"*_noise", "a\\*b"}};
  for (const char* key : {"BAC", "BAC009S0002W0122", "dir/a/b.c", "u1", "y1"}) {
    EXPECT_TRUE(patterns.includes(key)) << key;
  }
  for (const char* key : {"", "aBAC", "dir", "u", "u12", "y2", "w1"})
    EXPECT_FALSE(patterns.includes(key)) << key;
  EXPECT_EQ(*patterns.excludes("s1_noise"), "*_noise");
  EXPECT_EQ(*patterns.excludes("a*b"), "a\\*b");
  EXPECT_EQ(patterns.excludes("axb"), nullptr);
}

TEST(KeyPatterns, AsTextAndBack) {
  for (const std::vector<std::string>& patterns :
       {std::vector<std::string>{}, {"a*"}, {"a*", "b, c", ""}, {"none"}}) {
    EXPECT_EQ(patterns_of(text_of(patterns)), patterns);
  }
}

}  // namespace
}  // namespace shardmill::pipeline
