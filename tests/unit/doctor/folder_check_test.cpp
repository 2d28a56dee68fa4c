#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "doctor/doctor.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::doctor {
namespace {

namespace fs = std::filesystem;

TEST(FolderCheck, AGoodFolderDoesAllAndIsLeftAsItWas) {
  const testing::TemporaryFolder folder;
  folder.write("mine", "x");
  testing::SilentReporter reporter;
  const FolderCheck check = check_folder(folder.path().string(), 8 << 20, 60, reporter);
  EXPECT_EQ(check.problem, "");
  EXPECT_TRUE(check.locks);
  EXPECT_TRUE(check.replaces);
  EXPECT_EQ(check.tried_bytes, 8u << 20);
  EXPECT_GT(check.write_bytes_per_second, 1e5);
  EXPECT_GT(check.read_bytes_per_second, 1e5);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(FolderCheck, WithTooLittleRoomNothingIsMeasured) {
  const testing::TemporaryFolder folder;
  testing::SilentReporter reporter;
  const FolderCheck check = check_folder(folder.path().string(), 1000, 60, reporter);
  EXPECT_EQ(check.problem, "");
  EXPECT_EQ(check.tried_bytes, 0u);
}

TEST(FolderCheck, AFolderThatCannotBeWrittenIsSaidToBeSo) {
  testing::SilentReporter reporter;
  EXPECT_NE(check_folder("/proc/self", 8 << 20, 1, reporter).problem, "");
  const testing::TemporaryFolder folder;
  EXPECT_NE(check_folder(folder.write("file", ""), 8 << 20, 1, reporter).problem, "");
}

TEST(FolderCheck, StopsWhenItShouldAndLeavesNothing) {
  const testing::TemporaryFolder folder;
  testing::SilentReporter reporter;
  reporter.signal = SIGINT;
  EXPECT_THROW(check_folder(folder.path().string(), 8 << 20, 60, reporter), Interrupted);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace shardmill::doctor
