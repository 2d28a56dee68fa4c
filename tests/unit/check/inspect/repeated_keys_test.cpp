#include "check/inspect/repeated_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace shardmill::check {
namespace {

using Repeat = ShardKeys::Repeat;
using namespace std::string_literals;

Sample sample(const std::string& key, const std::vector<std::string>& extensions) {
  Sample made{.key = key, .members = {}};
  for (const std::string& extension : extensions) {
    made.members.push_back(
        {.name = key + "." + extension, .extension = extension, .tar_offset = 0, .bytes = {}});
  }
  return made;
}

TEST(ShardKeys, TellsASplitSampleFromASecondOne) {
  ShardKeys keys;
  EXPECT_EQ(keys.add(sample("a", {"txt"})), Repeat::none);
  EXPECT_EQ(keys.add(sample("b", {"txt", "wav"})), Repeat::none);
  EXPECT_EQ(keys.add(sample("a", {"wav"})), Repeat::apart);
  EXPECT_EQ(keys.add(sample("b", {"wav"})), Repeat::again);
  EXPECT_EQ(keys.add(sample("a", {"spk", "txt"})), Repeat::again);
  EXPECT_EQ(keys.take_keys(), "a\0b\0"s);
}

TEST(KeyLedger, FindsTheSameWhateverComesFirst) {
  const std::vector<std::string> shards{"a\0b\0"s, ""s, "c\0b\0"s, "a\0b\0d\0"s};
  const std::vector<std::pair<std::size_t, std::string>> expected{{2, "b"}, {3, "a"}, {3, "b"}};
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    std::vector<std::pair<std::size_t, std::string>> found;
    KeyLedger ledger(shards.size(),
                     [&](std::size_t shard, std::string_view key) { found.emplace_back(shard, key); });
    for (const std::size_t shard : order) ledger.hand_in(shard, shards[shard]);
    EXPECT_EQ(found, expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace shardmill::check
