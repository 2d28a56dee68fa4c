#include "cli/output/balance_text.hpp"

#include <gtest/gtest.h>

namespace shardmill::cli {
namespace {

TEST(BalanceText, SmallSpreadsAreInMilliseconds) {
  manifest::DatasetRecord::Balance balance{};
  balance.min_seconds = 10;
  balance.max_seconds = 10.0005;
  balance.min_samples = 7;
  balance.max_samples = 8;
  EXPECT_EQ(spread_text(balance), "shards differ by at most 0.500 ms of audio and 1 sample");
  balance.max_seconds = 12.5;
  balance.max_samples = 7;
  EXPECT_EQ(spread_text(balance), "shards differ by at most 2.5 s of audio and 0 samples");
}

}  // namespace
}  // namespace shardmill::cli
