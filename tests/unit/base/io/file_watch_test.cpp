#include "base/io/file_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public ::testing::Test {
 protected:
  void expect_changed() const {
    try {
      watch_.check();
      FAIL() << "nothing was seen";
    } catch (const FatalError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(path_ + ": "));
    }
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_.write("a", "12345");
  const File file_ = File::open_read(path_);
  const FileWatch watch_{file_};
};

TEST_F(FileWatchTest, SeesNothingWhereNothingHappened) {
  watch_.check();
  watch_.expect(5, watch_.mtime_ns());
}

TEST_F(FileWatchTest, SeesAnotherSize) {
  folder_.write("a", "1234567");
  expect_changed();
}

TEST_F(FileWatchTest, SeesAnotherTime) {
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::nanoseconds(1000));
  expect_changed();
}

TEST_F(FileWatchTest, SeesAnotherFileOfTheSameSizeAndTime) {
  const std::string other = folder_.write("b", "54321");
  fs::last_write_time(other, fs::last_write_time(path_));
  fs::rename(other, path_);
  expect_changed();
}

TEST_F(FileWatchTest, SeesThatItIsGone) {
  fs::remove(path_);
  expect_changed();
}

TEST_F(FileWatchTest, ComparesWithWhatWasSeenBefore) {
  EXPECT_THROW(watch_.expect(4, watch_.mtime_ns()), FatalError);
  EXPECT_THROW(watch_.expect(5, watch_.mtime_ns() + 1), FatalError);
}

TEST(FileWatch, LeavesPipesAndStandardInputAlone) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const File reading(ends[0], "no such path");
  const File writing(ends[1], "no such path");
  FileWatch(reading).check();
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("a", "1");
  File named = File::open_read(path);
  const File standard_input(::dup(named.descriptor()), "-");
  FileWatch(standard_input).check();
}

}  // namespace
}  // namespace shardmill::base
