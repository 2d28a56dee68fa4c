#include "cli/commands/source_options.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::cli {
namespace {

CommandLine parsed(const std::vector<std::string>& arguments) {
  CommandLine line(CommandText{.name = "x", .summary = "", .operands = "", .about = "", .example = ""});
  add_key_rule_option(line, "G");
  add_ignore_trailing_option(line, "G");
  add_allow_commands_option(line, "G");
  line.parse(arguments);
  return line;
}

TEST(SourceOptions, AreOffUnlessGiven) {
  const CommandLine none = parsed({});
  EXPECT_EQ(key_rule_choice(none), shard::KeyRule::wenet);
  EXPECT_FALSE(ignores_trailing(none));
  EXPECT_FALSE(allows_commands(none));
  const CommandLine all = parsed({"--key-rule", "webdataset", "--ignore-trailing", "--allow-commands"});
  EXPECT_EQ(key_rule_choice(all), shard::KeyRule::webdataset);
  EXPECT_TRUE(ignores_trailing(all));
  EXPECT_TRUE(allows_commands(all));
}

TEST(SourceOptions, ARuleThatIsNoneIsRefused) {
  EXPECT_THROW(key_rule_choice(parsed({"--key-rule", "kaldi"})), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
