#include "cli/help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "cli/command.hpp"

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string help_of(const Command& command, const std::vector<std::string>& arguments) {
  CommandLine line = options_of(command);
  line.parse(arguments);
  return help_text(line);
}

TEST(Help, TheOverviewNamesEveryCommand) {
  for (const Command& command : commands()) {
    EXPECT_THAT(overview(), HasSubstr(std::string(command.text.name)));
    EXPECT_THAT(overview(), HasSubstr(std::string(command.text.summary)));
  }
  EXPECT_THAT(exit_codes(), HasSubstr("3 more samples left out than allowed"));
}

TEST(Help, AllExplainsEveryOption) {
  for (const Command& command : commands()) {
    const std::string help = help_of(command, {"--help", "all"});
    for (const OptionText& option : options_of(command).options()) {
      EXPECT_THAT(help, HasSubstr("--" + option.name)) << command.text.name;
      EXPECT_NE(option.description, "") << option.name;
    }
    EXPECT_THAT(help, HasSubstr(std::string(command.text.example))) << command.text.name;
  }
}

// The first page names every option, although it explains only the first ones.
TEST(Help, TheFirstPageNamesEveryOptionAndExplainsTheFirst) {
  for (const Command& command : commands()) {
    const std::string help = help_of(command, {"--help"});
    const CommandLine line = options_of(command);
    for (const OptionText& option : line.options()) {
      EXPECT_THAT(help, HasSubstr("--" + option.name)) << command.text.name;
      const auto first = line.first_options();
      if (std::ranges::find(first, option.name) == first.end()) continue;
      EXPECT_THAT(help, HasSubstr(option.description.substr(0, 20))) << option.name;
    }
  }
}

TEST(Help, ATopicShowsItsOwnOptions) {
  for (const Command& command : commands()) {
    if (command.text.first.empty()) continue;
    const CommandLine line = options_of(command);
    for (const std::string& topic : line.topics()) {
      EXPECT_EQ(topic.find(' '), std::string::npos) << topic;  // it is one word of the command line
      const std::string help = help_of(command, {"--help", topic});
      EXPECT_EQ(help, help_of(command, {"--help=" + topic}));
      EXPECT_THAT(help, HasSubstr("  --")) << topic;
    }
  }
  const std::string audio = help_of(find_command("repack"), {"in/", "--help", "audio"});
  EXPECT_THAT(audio, HasSubstr("--sample-rate HZ"));
  EXPECT_THAT(audio, Not(HasSubstr("--split")));
}

TEST(Help, ATopicIsListedIfItHasOtherOptions) {
  for (const Command& command : commands()) {
    std::istringstream lines(help_of(command, {"--help"}));
    bool is_topic = false;
    for (std::string line; std::getline(lines, line);) {
      if (is_topic && line.empty()) break;
      if (is_topic) {
        EXPECT_THAT(line, HasSubstr("  --")) << command.text.name;
      }
      is_topic = is_topic || line.starts_with("All others");
    }
  }
}

TEST(Help, AnUnknownTopicIsWrongUse) {
  try {
    help_of(find_command("repack"), {"--help", "audoi"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "there is no help on 'audoi' (did you mean 'audio'?)");
  }
}

TEST(Help, AnOptionTakesAtMostTwoLines) {
  for (const Command& command : commands()) {
    std::istringstream lines(help_of(command, {"--help", "all"}));
    int length = 0;
    std::string option;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 112U) << line;
      if (line.starts_with("  -")) {
        length = 0;
        option = line;
      } else if (!line.starts_with(std::string(36, ' '))) {
        continue;
      }
      EXPECT_LE(++length, 2) << command.text.name << option;
    }
  }
}

}  // namespace
namespace {

using ::testing::HasSubstr;

TEST(Manual, ThePageOfTheProgramNamesThePagesOfTheCommands) {
  for (const Command& command : commands())
    EXPECT_THAT(manual_page(), HasSubstr("shardmill\\-" + std::string(command.text.name)));
}

TEST(Manual, EveryOptionHasItsEntry) {
  for (const Command& command : commands()) {
    const std::string page = manual_page(command);
    for (const OptionText& option : options_of(command).options()) {
      std::string name = option.name;
      for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.insert(at, "\\");
      EXPECT_THAT(page, HasSubstr("\\fB\\-\\-" + name + "\\fR")) << command.text.name;
    }
  }
}

// A line of text that began with a dot or a quote would be taken for a request, and vanish.
TEST(Manual, OnlyKnownRequestsBeginLines) {
  for (const Command& command : commands()) {
    std::istringstream lines(manual_page(command));
    for (std::string line; std::getline(lines, line);) {
      ASSERT_FALSE(line.starts_with("'")) << line;
      if (!line.starts_with(".")) continue;
      const std::string request = line.substr(0, line.find(' '));
      EXPECT_THAT(request, ::testing::AnyOf(".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".ad", ".nh",
                                            ".br", ".RS", ".RE", ".B", ".I", ".IP", ".BR", ".EX", ".EE"))
          << line;
    }
  }
}

TEST(Manual, EveryPageHasTheExitCodes) {
  for (const Command& command : commands()) EXPECT_THAT(manual_page(command), HasSubstr("EXIT STATUS"));
}

}  // namespace
}  // namespace shardmill::cli
