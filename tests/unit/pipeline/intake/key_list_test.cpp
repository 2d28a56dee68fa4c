#include "pipeline/intake/key_list.hpp"

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

}  // namespace
}  // namespace shardmill::pipeline
