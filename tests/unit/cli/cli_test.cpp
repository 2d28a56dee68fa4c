// Each run in a process of its own: it takes over signals and standard error.
#include "cli/cli.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace shardmill::cli {
namespace {

using ::testing::ExitedWithCode;

[[noreturn]] void run_and_exit(std::vector<std::string> arguments, int output = -1) {
  arguments.insert(arguments.begin(), "shardmill");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  if (output >= 0) ::dup2(output, STDOUT_FILENO);
  ::_exit(run(static_cast<int>(argv.size()), argv.data()));
}

TEST(CliDeathTest, WrongUsageIsTwoAndSaysWho) {
  EXPECT_EXIT(run_and_exit({}), ExitedWithCode(2), "Three commands to try");
  EXPECT_EXIT(run_and_exit({"repak"}), ExitedWithCode(2), "shardmill: there is no command 'repak'");
  EXPECT_EXIT(run_and_exit({"cat"}), ExitedWithCode(2), "shardmill cat: ");
  EXPECT_EXIT(run_and_exit({"cat", "--nonsense"}), ExitedWithCode(2),
              "shardmill cat: there is no option --nonsense");
}

TEST(CliDeathTest, FailuresAreOne) {
  EXPECT_EXIT(run_and_exit({"cat", "/nowhere.tar"}), ExitedWithCode(1), "shardmill cat: /nowhere.tar: ");
}

TEST(CliDeathTest, HelpAndVersionAreDone) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const char* option : {"--help", "-h", "help", "--version", "--man"})
    EXPECT_EXIT(run_and_exit({option}, nowhere), ExitedWithCode(0), "") << option;
  EXPECT_EXIT(run_and_exit({"convert", "--help"}, nowhere), ExitedWithCode(0), "");
  ::close(nowhere);
}

TEST(CliDeathTest, AFullDiskUnderTheOutputIsAFailureAndAClosedPipeASignal) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_EXIT(run_and_exit({"--help"}, full), ExitedWithCode(1), "cannot write to standard output");
  ::close(full);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EXIT(run_and_exit({"--help"}, ends[1]), ExitedWithCode(128 + 13), "");
  ::close(ends[1]);
}

}  // namespace
}  // namespace shardmill::cli
