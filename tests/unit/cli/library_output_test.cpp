#include "cli/library_output.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

namespace shardmill::cli {
namespace {

TEST(LibraryOutputDeathTest, OnlyWhatGoesToTheDescriptorIsSeen) {
  const auto try_it = [] {
    silence_libraries();
    std::fputs("a library speaks\n", stderr);
    std::fflush(stderr);
    if (::write(STDERR_FILENO, "we speak\n", 9) != 9) ::_exit(1);
    ::_exit(0);
  };
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "^we speak\n$");
}

}  // namespace
}  // namespace shardmill::cli
