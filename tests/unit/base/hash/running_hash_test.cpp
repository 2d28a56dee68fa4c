#include "base/hash/running_hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace shardmill::base {
namespace {

TEST(RunningHash, IsWhatXxhsumPrints) {
  RunningHash hash;
  EXPECT_EQ(hash.digest(), 0xef46db3751d8e999u);
  hash.update("a");
  EXPECT_EQ(hash.digest(), 0xd24ec4f1a98c6e5bu);
}

TEST(RunningHash, DoesNotDependOnHowTheBytesCame) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * i);
  RunningHash whole;
  whole.update(text);
  RunningHash pieces;
  for (std::size_t at = 0, step = 1; at < text.size(); at += step++) pieces.update(text.substr(at, step));
  const RunningHash copy = pieces;
  EXPECT_EQ(pieces.digest(), whole.digest());
  pieces.update("x");
  EXPECT_NE(pieces.digest(), whole.digest());
  EXPECT_EQ(copy.digest(), whole.digest());
  EXPECT_EQ(quick_hash(std::as_bytes(std::span(text.data(), text.size()))), whole.digest());
}

}  // namespace
}  // namespace shardmill::base
