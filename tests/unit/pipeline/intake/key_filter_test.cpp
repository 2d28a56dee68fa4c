#include "pipeline/intake/key_filter.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

class KeyLists : public ::testing::Test {
 protected:
  std::string file(const std::string& text) { return folder_.write("keys", text); }
  testing::TemporaryFolder folder_;
};

TEST_F(KeyLists, HoldOneKeyALine) {
  const KeyList keys = KeyList::read(file("b\r\n\na x\nb\n*\n\xff"));
  EXPECT_EQ(keys.size(), 4U);
  for (const char* key : {"b", "a x", "*", "\xff"}) EXPECT_TRUE(keys.contains(key)) << key;
  for (const char* key : {"", "a", "x", "B", "b\r"}) EXPECT_FALSE(keys.contains(key)) << key;
  EXPECT_NE(keys.find("b"), keys.find("*"));
  EXPECT_LT(keys.find("b").value(), 4U);
}

TEST_F(KeyLists, AreTheSameInAnyOrder) {
  const base::Xxh128 hash = KeyList::read(file("a\nb\nc\n")).hash();
  EXPECT_EQ(KeyList::read(file("c\nb\na\nb")).hash(), hash);
  EXPECT_NE(KeyList::read(file("a\nb\n")).hash(), hash);
}

TEST_F(KeyLists, ThatChangedAreRefused) {
  KeyFile keys{.path = file("a\n")};
  read_keys(keys);
  KeyFile again{.path = keys.path, .hash = keys.hash};
  read_keys(again);
  EXPECT_TRUE(again.keys->contains("a"));
  file("b\n");
  KeyFile changed{.path = keys.path, .hash = keys.hash};
  EXPECT_THROW(read_keys(changed), Error);
  KeyFile missing{.path = "/not/there"};
  EXPECT_THROW(read_keys(missing), Error);
  KeyFile none;
  read_keys(none);
  EXPECT_EQ(none.keys, nullptr);
}

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
