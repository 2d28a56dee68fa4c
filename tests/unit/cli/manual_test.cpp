#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/help.hpp"

namespace shardmill::cli {
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
