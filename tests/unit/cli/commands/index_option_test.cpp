#include "cli/commands/index_option.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::cli {
namespace {

TEST(IndexOption, EveryWordOfTheHelpIsTaken) {
  const std::string words = index_words();
  std::string list = words.substr(0, words.find("[,...]"));
  std::replace(list.begin(), list.end(), '|', ',');
  EXPECT_EQ(index_kinds(list).size(), manifest::kAllIndexKinds.size());
  EXPECT_TRUE(index_kinds("none").empty());
}

TEST(IndexOption, AnUnknownWordIsNamed) {
  try {
    index_kinds("wids,x\n");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.problem(), "--index wids,x\\x0a is unknown");
  }
}

}  // namespace
}  // namespace shardmill::cli
