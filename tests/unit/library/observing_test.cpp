#include "library/observing.hpp"

#include <gtest/gtest.h>

namespace shardmill::library {
namespace {

class Recorder final : public Observer {
 public:
  void warn(const Error& warning) override { heard += "warn " + warning.problem() + ";"; }
  void fail(const Error& error) override { heard += "fail " + error.problem() + ";"; }
  void phase(std::string_view name) override { heard += "phase " + std::string(name) + ";"; }
  bool stop_requested() const noexcept override { return stop; }

  std::string heard;
  bool stop = false;
};

TEST(ObservingReporter, PassesEverythingOn) {
  Recorder observer;
  ObservingReporter reporter(observer);
  reporter.warn(Error("w"));
  reporter.fail(Error("f"));
  reporter.phase("p");
  EXPECT_EQ(observer.heard, "warn w;fail f;phase p;");
  EXPECT_NO_THROW(reporter.check_stop());
  observer.stop = true;
  EXPECT_THROW(reporter.check_stop(), Interrupted);
}

TEST(Limits, NoNumberOfThreadsStandsForAllCores) {
  EXPECT_GE(threads_of({}), 1u);
  EXPECT_EQ(threads_of({.threads = 3}), 3u);
}

}  // namespace
}  // namespace shardmill::library
