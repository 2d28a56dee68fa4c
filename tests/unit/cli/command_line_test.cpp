#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "support/command_output.hpp"

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;

CommandLine parsed(const std::vector<std::string>& arguments) {
  CommandLine line = options_of(find_command("convert"));
  line.parse(arguments);
  return line;
}

std::string usage_error(const std::vector<std::string>& arguments) {
  try {
    parsed(arguments).common();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CommandLine, SeparatesOptionsFromOperands) {
  const CommandLine line = parsed({"a.tar", "--out", "dir", "-j3", "--", "--b.tar"});
  EXPECT_EQ(line.operands(), (std::vector<std::string>{"a.tar", "--b.tar"}));
  EXPECT_EQ(line.text("out"), "dir");
  EXPECT_EQ(line.common().threads, 3u);
  EXPECT_EQ(line.optional_text("level"), std::nullopt);
  EXPECT_THAT(line.given(), ::testing::UnorderedElementsAre("out", "threads"));
  EXPECT_TRUE(line.was_given("threads"));
  EXPECT_FALSE(line.was_given("memory"));  // it has its default
}

TEST(CommandLine, WrongUsageSaysWhatIsWrong) {
  EXPECT_THAT(usage_error({"--ouy", "x"}), HasSubstr("there is no option --ouy"));
  EXPECT_THAT(usage_error({"--ouy", "x"}), HasSubstr("--out"));
  EXPECT_THAT(usage_error({"--out="}), HasSubstr("--out has an empty value"));
  EXPECT_THAT(usage_error({"--out", ""}), HasSubstr("--out has an empty value"));
  EXPECT_THAT(usage_error({"--thr", "2"}), HasSubstr("there is no option --thr"));  // nothing is guessed
  EXPECT_THAT(usage_error({"--threads", "0"}), HasSubstr("--threads 0"));
  EXPECT_THAT(usage_error({"--progress", "much"}), HasSubstr("--progress much is unknown"));
  EXPECT_THAT(usage_error({"--memory", "many"}), HasSubstr("many"));
  EXPECT_THAT(usage_error({"gs://bucket/a.tar"}), HasSubstr("is on another machine"));
  for (const char* word : {"https:/me:hidden@host/a.tar", "https:/me:hidden=@host/a.tar",
                           "all=https:/me:hidden@host/a.tar", "--out=s3:/me:hidden@b"})
    EXPECT_THAT(usage_error({word}),
                ::testing::AllOf(HasSubstr("two slashes"), ::testing::Not(HasSubstr("hidden"))));
  EXPECT_EQ(usage_error({"a.tar"}), "no error");
}

// What run.json records can be given to a shell again.
TEST(CommandLine, AsTypedAShellReadsTheSameArguments) {
  const std::vector<std::string> arguments{"a b",   "it's", "$HOME",     "*",          "",
                                           "\"q\"", "\\",   "--out=x y", "plain-1.tar"};
  CommandLine line = options_of(find_command("convert"));
  line.parse({arguments.begin(), arguments.end()});
  std::string as_typed = line.as_typed();
  const std::string begin = "shardmill convert ";
  ASSERT_TRUE(as_typed.starts_with(begin));
  std::string expected;
  for (const std::string& argument : arguments) expected += argument + "\n";
  EXPECT_EQ(testing::command_output("printf '%s\\n' " + as_typed.substr(begin.size())), expected);
}

}  // namespace
}  // namespace shardmill::cli
