#include "cli/terminal/console.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace shardmill::cli {
namespace {

CommonOptions options(ProgressMode mode, bool quiet = false) {
  CommonOptions made;
  made.progress = mode;
  made.quiet = quiet;
  return made;
}

TEST(Console, WarningsAndErrorsSayWhoSpeaks) {
  ::testing::internal::CaptureStderr();
  {
    Console console("convert", options(ProgressMode::none));
    console.warn(Error("odd", at("a.tar"), "look"));
    console.fail(Error("bad\nline"));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "shardmill convert: warning: a.tar: odd (look)\n"
            "shardmill convert: error: bad\\x0aline\n");
}

// The bar is drawn over and over; before a message, and at the end, it is taken away.
TEST(Console, TheBarNeverStandsBesideAMessage) {
  ::testing::internal::CaptureStderr();
  {
    Console console("repack", options(ProgressMode::bar));
    console.phase("reading");
    console.progress().input_bytes_total = 1000;
    console.progress().input_bytes = 500;
    std::this_thread::sleep_for(std::chrono::milliseconds(450));
    console.warn(Error("odd"));
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    console.end_progress();
    console.end_progress();
    console.warn(Error("late"));
  }
  const std::string shown = ::testing::internal::GetCapturedStderr();
  const std::string erase = "\r\033[K";
  EXPECT_NE(shown.find("reading"), std::string::npos) << shown;
  EXPECT_NE(shown.find(erase + "shardmill repack: warning: odd\n"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with(erase + "shardmill repack: warning: late\n")) << shown;
}

TEST(Console, QuietShowsNoProgress) {
  ::testing::internal::CaptureStderr();
  {
    Console console("repack", options(ProgressMode::bar, true));
    console.phase("reading");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace shardmill::cli
