#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::cli {
namespace {

/// What bash offers after these words, sorted, in one line.
std::string offered(const std::string& words) {
  const testing::TemporaryFolder folder;
  const std::string script = folder.write("completion.bash", completion_script("bash"));
  const std::string ask = folder.write(
      "ask.bash", "source " + script +
                      "\n"
                      "COMP_WORDS=(shardmill " +
                      words +
                      ")\n"
                      "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                      "compopt() { :; }\n"
                      "function=$(complete -p shardmill | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n"
                      "$function shardmill \"${COMP_WORDS[COMP_CWORD]}\" "
                      "\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
                      "printf '%s\\n' \"${COMPREPLY[@]}\" | sed 's/ *$//' | sort | tr '\\n' ' '\n");
  return testing::command_output("bash " + ask + " 2>/dev/null");
}

TEST(Completion, BashOffersCommandsOptionsAndTheirValues) {
  const std::string all = offered("''");
  for (const Command& command : commands())
    EXPECT_NE((" " + all).find(" " + std::string(command.text.name) + " "), std::string::npos)
        << command.text.name;
  EXPECT_EQ(offered("rep"), "repack repair report ");
  EXPECT_EQ(offered("convert --codec ''"), "gzip lz4 none zstd ");
  EXPECT_EQ(offered("convert --codec z"), "zstd ");
  EXPECT_EQ(offered("convert --see"), "--seekable ");
}

TEST(Completion, BashOffersEveryOptionOfEveryCommand) {
  for (const Command& command : commands()) {
    const std::string all = " " + offered(std::string(command.text.name) + " --");
    for (const OptionText& option : options_of(command).options())
      EXPECT_NE(all.find(" --" + option.name + " "), std::string::npos)
          << command.text.name << " " << option.name;
  }
}

TEST(Completion, OtherShellsAreRefused) {
  EXPECT_NE(completion_script("zsh").find("#compdef shardmill"), std::string::npos);
  EXPECT_NE(completion_script("fish").find("complete -c shardmill"), std::string::npos);
  EXPECT_THROW(completion_script("tcsh"), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
