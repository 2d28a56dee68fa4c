#include "base/system/vector_path.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/error.hpp"

namespace shardmill::base {
namespace {

#if defined(__x86_64__)
/// The flags of the first CPU, as the kernel lists them.
std::set<std::string> cpu_flags() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}
#endif

bool is_available(VectorPath path) {
  const auto all = available_vector_paths();
  return std::find(all.begin(), all.end(), path) != all.end();
}

TEST(VectorPath, WhatIsAvailableIsWhatTheKernelSaysOfTheCpu) {
  EXPECT_EQ(available_vector_paths().back(), VectorPath::portable);
#if defined(__x86_64__)
  const auto flags = cpu_flags();
  const auto has_all = [&](std::initializer_list<const char*> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const char* flag) { return flags.contains(flag); });
  };
  const bool avx2 = has_all({"avx2", "bmi1", "bmi2", "popcnt", "pclmulqdq"});
  EXPECT_EQ(is_available(VectorPath::ssse3), has_all({"ssse3"}));
  EXPECT_EQ(is_available(VectorPath::avx2), avx2);
  EXPECT_EQ(is_available(VectorPath::avx512),
            avx2 && has_all({"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512vbmi", "avx512_vbmi2"}));
  EXPECT_FALSE(is_available(VectorPath::neon));
#elif defined(__aarch64__)
  EXPECT_TRUE(is_available(VectorPath::neon));
  EXPECT_FALSE(is_available(VectorPath::avx2));
#endif
}

/// The choice is made once a process, so each is made in its own; exits with 0 when `path` was chosen.
void choose(const char* wanted, const char* path) {
  ::setenv("SHARDMILL_VECTOR_PATH", wanted, 1);
  try {
    ::_exit(name(chosen_vector_path()) == path ? 0 : 1);
  } catch (const Error& error) {
    ::_exit(error.problem().find(wanted) != std::string::npos ? 7 : 8);
  }
}

TEST(VectorPathDeathTest, TheVariableChoosesOrIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process that has chosen nothing yet
  const std::string best(name(available_vector_paths().front()));
  EXPECT_EXIT(choose("portable", "portable"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(choose("", best.c_str()), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(choose("avx1024", ""), ::testing::ExitedWithCode(7), "");
#if defined(__x86_64__)
  EXPECT_EXIT(choose("neon", ""), ::testing::ExitedWithCode(7), "");
#endif
}

}  // namespace
}  // namespace shardmill::base
