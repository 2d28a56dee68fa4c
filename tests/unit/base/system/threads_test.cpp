#include "base/system/threads.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace shardmill::base {
namespace {

std::size_t running_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(Threads, AFewCanRunAndNoneIsLeft) {
  const std::size_t before = running_threads();
  EXPECT_NO_THROW(check_threads(0));
  EXPECT_NO_THROW(check_threads(16));
  EXPECT_EQ(running_threads(), before);
}

TEST(ThreadsDeathTest, MoreThanTheSystemGivesAreAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs the address space that is limited here";
#endif
  const auto try_it = [] {
    const rlimit limit{1U << 30, 1U << 30};  // room for the stacks of about a hundred threads
    ::setrlimit(RLIMIT_AS, &limit);
    try {
      check_threads(10000);
    } catch (const Error& error) {
      const bool says_so = error.problem().starts_with("cannot start 10,000 threads: the system gave ");
      ::_exit(says_so && error.remedy() == Remedy::fewer_threads ? 0 : 1);
    }
    ::_exit(2);
  };
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace shardmill::base
