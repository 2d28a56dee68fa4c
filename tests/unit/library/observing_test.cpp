#include "library/observing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace shardmill::library {
namespace {

class Recorder final : public Observer {
 public:
  void warn(const Error& warning) override { heard += "warn " + warning.problem() + ";"; }
  void fail(const Error& error) override { heard += "fail " + error.problem() + ";"; }
  void progress(const Progress& so_far) override { samples = so_far.samples; }
  void phase(std::string_view name) override { heard += "phase " + std::string(name) + ";"; }
  bool stop_requested() const noexcept override { return stop; }

  std::string heard;
  bool stop = false;
  std::atomic<std::uint64_t> samples{0};
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

TEST(ObservingReporter, TellsTheProgressUntilTheEnd) {
  Recorder observer;
  {
    ObservingReporter reporter(observer);
    reporter.progress().samples = 7;
    while (observer.samples != 7) std::this_thread::yield();  // told while the work goes on
    reporter.progress().samples = 9;
  }
  EXPECT_EQ(observer.samples, 9u);
}

TEST(Limits, NoNumberOfThreadsStandsForAllCores) {
  EXPECT_GE(threads_of({}), 1u);
  EXPECT_EQ(threads_of({.threads = 3}), 3u);
}

}  // namespace
}  // namespace shardmill::library
