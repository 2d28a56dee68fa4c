#include "base/system/cpu_speed.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace shardmill::base {
namespace {

/// Keeps the processor busy until this much CPU time is spent.
void work_for(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

TEST(CpuSpeed, CountsUnitsOfWorkASecond) {
  const double speed = cpu_speed([] {
    work_for(0.01);
    return 5.0;
  });
  EXPECT_GT(speed, 5 / 0.02);
  EXPECT_LT(speed, 5 / 0.005);
}

TEST(CpuSpeed, LongWorkIsDoneOnce) {
  int rounds = 0;
  cpu_speed([&] {
    ++rounds;
    work_for(0.12);
    return 1.0;
  });
  EXPECT_EQ(rounds, 1);
}

TEST(CpuSpeed, OfNoWorkIsZero) {
  EXPECT_EQ(cpu_speed([] { return 0.0; }), 0);
}

}  // namespace
}  // namespace shardmill::base
