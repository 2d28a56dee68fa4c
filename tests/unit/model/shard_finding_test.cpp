#include "model/shard_finding.hpp"

#include <gtest/gtest.h>

#include <set>

namespace shardmill {
namespace {

TEST(ShardFinding, EveryProblemHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  const int problems = static_cast<int>(ShardProblem::data_after_end) + 1;
  for (int i = 0; i < problems; ++i) {
    const std::string_view word = name(static_cast<ShardProblem>(i));
    EXPECT_EQ(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << word;
    words.insert(word);
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(problems));
  EXPECT_EQ(words.count("unknown"), 0u);
}

// Written out: an enumerator in the wrong place would turn an odd member into damage, or damage into nothing.
TEST(ShardFinding, OnlyWhatIsBrokenIsDamage) {
  using enum ShardProblem;
  for (const ShardProblem odd :
       {directory, link, special_file, sparse_file, oversized_member, odd_name, no_key, duplicate_member}) {
    EXPECT_FALSE(is_damage(odd)) << name(odd);
  }
  for (const ShardProblem broken : {not_a_tar, bad_header, bad_extension, gap, resumed, truncated, no_end,
                                    lone_zero_block, data_after_end}) {
    EXPECT_TRUE(is_damage(broken)) << name(broken);
  }
}

}  // namespace
}  // namespace shardmill
