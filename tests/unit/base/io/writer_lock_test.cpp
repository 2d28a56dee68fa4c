#include "base/io/writer_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using namespace std::chrono_literals;

pid_t in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 0;
    try {
      work();
    } catch (...) {
      status = 1;
    }
    ::_exit(status);
  }
  return child;
}

int exit_status(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(WriterLock, TheSecondOneIsToldWhoHoldsIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("work/lock");
  const WriterLock lock = WriterLock::acquire(path, "shardmill repack a\nb");
  try {
    WriterLock::acquire(path, "another");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                MatchesRegex(".*work/lock: another run is at work here: host .+, pid [0-9]+, since "
                             "[0-9]+-..-..T..:..:..Z: shardmill repack a.x0ab"));
    EXPECT_THAT(error.what(), HasSubstr("pid " + std::to_string(::getpid()) + ","));
  }
}

TEST(WriterLock, ACrashWhileItIsTakenOverLeavesItTheLockOfSomebody) {
  // An empty lock file beside other files of a run looks like a folder of somebody else's.
  const TemporaryFolder folder;
  const std::string path = folder.write("work/lock", "host old, pid 1, since 2026-01-01T00:00:00Z: repack\n");
  EXPECT_EQ(exit_status(in_child([&] {
              const rlimit nothing{0, 0};
              ::signal(SIGXFSZ, SIG_IGN);
              if (::setrlimit(RLIMIT_FSIZE, &nothing) == 0) WriterLock::acquire(path, "another");
            })),
            1 << 8);
  EXPECT_THAT(read_text(path, 1000), MatchesRegex("host .*, pid .*"));
}

TEST(WriterLock, AShorterNameThanThatOfTheLastHolder) {
  const TemporaryFolder folder;
  const std::string path = folder.write("work/lock", std::string(900, 'x') + "\nmore\n");
  const WriterLock lock = WriterLock::acquire(path, "repack");
  EXPECT_THAT(read_text(path, 1000), MatchesRegex("host .*, pid .*: repack\n"));
}

TEST(WriterLock, ReleaseLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string path = folder.file("work/lock");
  { const WriterLock lock = WriterLock::acquire(path, "a"); }
  EXPECT_FALSE(std::filesystem::exists(folder.file("work")));
  const WriterLock again = WriterLock::acquire(path, "b");
}

TEST(WriterLock, FoldersMadeForItGoWithIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("there"));
  { const WriterLock lock = WriterLock::acquire(folder.file("there/new/work/lock"), "a"); }
  EXPECT_FALSE(std::filesystem::exists(folder.file("there/new")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("there")));
}

TEST(WriterLock, ReleaseKeepsAFolderThatIsInUse) {
  const TemporaryFolder folder;
  WriterLock lock = WriterLock::acquire(folder.file("work/lock"), "a");
  folder.write("work/journal", "x");
  lock.release();
  EXPECT_TRUE(std::filesystem::exists(folder.file("work/journal")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("work/lock")));
}

TEST(WriterLock, AKilledHolderHoldsNobodyUp) {
  const TemporaryFolder folder;
  const std::string path = folder.file("lock");
  const pid_t child = in_child([&] {
    const WriterLock lock = WriterLock::acquire(path, "child");
    folder.write("ready", "x");
    for (;;) ::pause();
  });
  while (!std::filesystem::exists(folder.file("ready"))) ::usleep(1000);
  EXPECT_THROW(WriterLock::acquire(path, "parent"), Error);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  exit_status(child);
  EXPECT_TRUE(std::filesystem::exists(path));
  const WriterLock lock = WriterLock::acquire(path, "parent");
}

TEST(WriterLock, AWaiterMayGiveUp) {
  const TemporaryFolder folder;
  const std::string path = folder.file("lock");
  const WriterLock lock = WriterLock::acquire(path, "first");
  int asked = 0;
  const auto give_up = [&](const std::string& holder) {
    EXPECT_THAT(holder, HasSubstr("first"));
    if (++asked == 3) throw Error("interrupted");
  };
  EXPECT_THROW(WriterLock::wait(path, "second", give_up, 1ms), Error);
  EXPECT_EQ(asked, 3);
}

TEST(WriterLock, ManyWaitersOneAtATimeThoughTheFileComesAndGoes) {
  constexpr int kProcesses = 8;
  constexpr int kRounds = 50;
  const TemporaryFolder folder;
  const std::string counter = folder.write("counter", "0");
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(in_child([&] {
      for (int round = 0; round < kRounds; ++round) {
        const WriterLock lock = WriterLock::wait(
            folder.file("work/lock"), "x", [](const auto&) {}, 0ms);
        int value = 0;
        std::ifstream(counter) >> value;
        std::ofstream(counter) << value + 1;
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_status(child), 0);
  int value = 0;
  std::ifstream(counter) >> value;
  EXPECT_EQ(value, kProcesses * kRounds);
}

TEST(WriterLock, AFolderThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(WriterLock::acquire("/proc/no/lock", "x"), Error);
  EXPECT_THROW(WriterLock::acquire("/dev/null/lock", "x"), Error);
}

}  // namespace
}  // namespace shardmill::base
