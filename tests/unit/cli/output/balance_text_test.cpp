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
  EXPECT_EQ(spread_text(balance), "0.500 ms of audio, 1 sample, from shard to shard");
  balance.max_seconds = 12.5;
  balance.max_samples = 7;
  EXPECT_EQ(spread_text(balance), "2.5 s of audio, 0 samples, from shard to shard");
}

}  // namespace
}  // namespace shardmill::cli
