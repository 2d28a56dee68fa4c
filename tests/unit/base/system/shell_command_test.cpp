#include "base/system/shell_command.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace shardmill::base {
namespace {

std::string run(const std::string& command, std::uint64_t limit_bytes = 1 << 20) {
  const auto bytes = output_of(command, limit_bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string problem_of(const std::string& command, std::uint64_t limit_bytes = 1 << 20) {
  try {
    run(command, limit_bytes);
  } catch (const Error& error) {
    return error.problem();
  }
  return "none";
}

TEST(ShellCommand, GivesItsOutput) {
  EXPECT_EQ(run("printf 'a%s' b"), "ab");
  EXPECT_EQ(run("head -c 1000000 /dev/zero").size(), 1'000'000);
  EXPECT_EQ(run("true"), "");
}

TEST(ShellCommand, GetsNoInput) {
  EXPECT_EQ(run("cat"), "");
}

TEST(ShellCommand, FailsWhereTheCommandDoes) {
  EXPECT_EQ(problem_of("printf x; exit 3"), "failed with exit status 3");
  EXPECT_EQ(problem_of("kill -9 $$"), "was ended by signal 9");
  EXPECT_EQ(problem_of("/no/such/program 2>/dev/null"), "failed with exit status 127");
}

TEST(ShellCommand, EndsACommandThatWritesTooMuch) {
  EXPECT_EQ(problem_of("yes", 1000), "writes more than 1000 bytes");
}

}  // namespace
}  // namespace shardmill::base
