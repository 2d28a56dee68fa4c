#include "base/reporter.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "support/silent_reporter.hpp"

namespace shardmill::base {
namespace {

TEST(Reporter, StopsTheWorkOnlyWhenItShouldStop) {
  testing::SilentReporter reporter;
  EXPECT_NO_THROW(reporter.check_stop());
  reporter.signal = SIGTERM;
  try {
    reporter.check_stop();
    FAIL();
  } catch (const Interrupted& stop) {
    EXPECT_EQ(stop.signal_number(), SIGTERM);
    EXPECT_EQ(stop.problem(), "stopped by a signal");
  }
}

TEST(Reporter, ControlCIsCalledByItsName) {
  EXPECT_EQ(Interrupted(SIGINT).problem(), "interrupted");
  EXPECT_EQ(Interrupted(SIGHUP).problem(), "stopped by a signal");
}

}  // namespace
}  // namespace shardmill::base
