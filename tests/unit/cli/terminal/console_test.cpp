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

namespace {

using std::chrono::seconds;

class ProgressLineTest : public testing::Test {
 protected:
  std::string shown(int after_seconds, std::uint64_t bytes, std::size_t columns = 80) {
    progress_.input_bytes = bytes;
    return line_.text(progress_, start_ + seconds(after_seconds), columns);
  }

  ProgressLine::Time start_{};
  base::Progress progress_;
  ProgressLine line_{start_};
};

TEST_F(ProgressLineTest, SaysHowLongTheWholeRunStillTakes) {
  progress_.input_bytes_total = 1'000'000;
  line_.phase("reading", progress_, start_);
  EXPECT_EQ(shown(10, 250'000), "reading:  25%  0:00:30 left  in 25.0 kB/s");
}

TEST_F(ProgressLineTest, GoesByTheSpeedOfNow) {
  progress_.input_bytes_total = 1'000'000;
  line_.phase("reading", progress_, start_);
  shown(10, 500'000);
  line_.phase("compressing", progress_, start_ + seconds(10));
  EXPECT_EQ(shown(20, 600'000).substr(0, 31), "compressing:  60%  0:00:40 left");
}

TEST_F(ProgressLineTest, WhatAnEarlierRunHasDoneIsNoSpeed) {
  progress_.input_bytes_total = 1'000'000;
  progress_.input_bytes = 900'000;
  line_.phase("", progress_, start_);
  EXPECT_EQ(shown(10, 910'000).substr(0, 18), " 91%  0:01:30 left");
}

TEST_F(ProgressLineTest, APhaseThatReadsNothingMoves) {
  progress_.input_bytes_total = 100;
  progress_.input_bytes = 100;
  line_.phase("dealing the rest", progress_, start_ + seconds(50));
  EXPECT_EQ(shown(50, 100).substr(0, 22), "dealing the rest: 100%");
  EXPECT_EQ(shown(62, 100).substr(0, 22), "dealing the rest: 12 s");
  EXPECT_EQ(shown(240, 100).substr(0, 30), "dealing the rest: 3 min 10 s  ");
  line_.phase("recording", progress_, start_ + seconds(240));
  EXPECT_EQ(shown(243, 100).substr(0, 16), "recording: 3.0 s");
}

TEST_F(ProgressLineTest, NeverPassesTheEnd) {
  progress_.input_bytes_total = 100;
  EXPECT_EQ(shown(1, 225).substr(0, 4), "100%");
  EXPECT_EQ(shown(1, 99).substr(0, 4), " 99%");
}

TEST_F(ProgressLineTest, FitsAnyTerminal) {
  progress_.input_bytes_total = 100'000'000'000;
  progress_.output_bytes = 90'000'000'000;
  progress_.samples = 123'456'789;
  progress_.audio_milliseconds = 900'000'000'000;
  line_.phase("going on where the last run stopped", progress_, start_);
  for (std::size_t columns = 0; columns < 120; ++columns)
    EXPECT_LE(shown(100'000, 50'000'000'000, columns).size(), columns);
  EXPECT_NE(shown(100'000, 50'000'000'000, 60).find("50%"), std::string::npos);
}

TEST(Fitted, CountsColumnsAndNotBytes) {
  EXPECT_EQ(fitted("abc", 2), "ab");
  EXPECT_EQ(fitted("声声声", 5), "声声");
  EXPECT_EQ(fitted("éé", 2), "éé");
}

}  // namespace

}  // namespace shardmill::cli
