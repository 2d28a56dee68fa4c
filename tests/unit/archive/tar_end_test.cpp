#include "archive/tar_end.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace shardmill::archive {
namespace {

TEST(TarEndTest, NothingIsSaidOfATarThatHasNotEnded) {
  EXPECT_FALSE(TarEnd().finding(10'240).has_value());
}

TEST(TarEndTest, ZerosThatFillUpARecordAndMore) {
  TarEnd end;
  end.begin(1'024);
  end.add(std::vector<std::byte>(8'192), 2'048);
  EXPECT_FALSE(end.finding(10'240).has_value());
  const auto found = end.finding(1 << 22);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::zeros_after_end);
  EXPECT_EQ(found->offset, 1'024u);
  EXPECT_EQ(found->bytes, (1u << 22) - 1'024);
}

TEST(TarEndTest, OtherBytes) {
  TarEnd end;
  end.begin(0);
  end.add(std::vector<std::byte>(512), 1'024);
  end.add(std::vector{std::byte{0}, std::byte{7}}, 1'536);
  end.add(std::vector{std::byte{8}}, 1'538);
  const auto found = end.finding(1'539);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::data_after_end);
  EXPECT_EQ(found->offset, 1'537u);
  EXPECT_EQ(found->bytes, 2u);
  EXPECT_EQ(found->text, "2 bytes follow the end of the archive, where readers stop");
}

}  // namespace
}  // namespace shardmill::archive
