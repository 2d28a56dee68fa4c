#include "pipeline/checkpoint/scratch_check.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

TEST(ScratchCheck, OnlyTheMarkedBytesCount) {
  const shardmill::testing::TemporaryFolder folder;
  std::string text(3'000'000, 'x');
  text += "the end";
  const std::string path = folder.write("a", text + "what came after the last checkpoint");
  const FileMark mark{.bytes = text.size(), .hash = hash_of_start(path, text.size()).digest()};
  int steps = 0;
  EXPECT_EQ(check_file(path, mark, [&] { ++steps; }).digest(), mark.hash);
  EXPECT_EQ(steps, 3);

  text[1'500'000] ^= 1;
  folder.write("a", text);
  EXPECT_THROW(check_file(path, mark), Error);
  folder.write("a", text.substr(1));
  EXPECT_THROW(check_file(path, mark), Error);
  EXPECT_EQ(check_file(path + " is not there", FileMark{}).digest(), FileMark{}.hash);
}

}  // namespace
}  // namespace shardmill::pipeline
