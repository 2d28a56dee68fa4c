#include "shard/key_set.hpp"

#include <gtest/gtest.h>

#include <string>

namespace shardmill::shard {
namespace {

TEST(KeySet, TellsNewFromTaken) {
  KeySet keys;
  for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(keys.insert("key" + std::to_string(i)));
  for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(keys.insert("key" + std::to_string(i)));
  EXPECT_EQ(keys.size(), 100'000U);
  EXPECT_TRUE(keys.contains("key99999"));
  EXPECT_FALSE(keys.contains("key100000"));
}

TEST(KeySet, TakesTheHashOfAllZeros) {
  KeySet keys;
  EXPECT_TRUE(keys.insert(base::Xxh128{}));
  EXPECT_FALSE(keys.insert(base::Xxh128{}));
}

}  // namespace
}  // namespace shardmill::shard
