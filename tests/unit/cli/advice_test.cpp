#include "cli/advice.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "cli/command.hpp"

namespace shardmill::cli {
namespace {

TEST(Advice, WithoutARemedyTheTextIsThatOfTheError) {
  const Error error("is damaged", at("a.tar"), "download it again");
  EXPECT_EQ(text_of(error), "a.tar: is damaged (download it again)");
  EXPECT_EQ(text_of(Error("is damaged")), "is damaged");
}

TEST(Advice, ARemedyIsSaidWithTheNamesOfOptions) {
  EXPECT_EQ(text_of(Error("is damaged", at("journal"), Remedy::start_over)),
            "journal: is damaged (start over with --force)");
  EXPECT_EQ(text_of(Error("is of another version", at("journal"), "finish it with that version",
                          Remedy::start_over)),
            "journal: is of another version (finish it with that version, or start over with --force)");
  EXPECT_EQ(text_of(Error("takes too much", at("a.tar"), "64MiB will do", Remedy::more_memory)),
            "a.tar: takes too much (--memory 64MiB will do)");
}

TEST(Advice, EveryRemedyNamesAnOption) {
  for (int number = 1; number <= static_cast<int>(Remedy::fewer_open_files); ++number) {
    const std::string alone = text_of(Error("is bad", {}, static_cast<Remedy>(number)));
    const std::string beside = text_of(Error("is bad", {}, "ask a friend", static_cast<Remedy>(number)));
    EXPECT_NE(alone.find("--"), std::string::npos) << number;
    EXPECT_NE(beside.find("--"), std::string::npos) << number;
    EXPECT_NE(beside.find("ask a friend"), std::string::npos) << number;
  }
}

/// The options that a text names, but not those of another command: "shardmill repack --subset".
std::set<std::string> options_in(const std::string& text) {
  static const std::regex kElsewhere("shardmill repack [^;]*|--interleave of shardmill repack");
  static const std::regex kOption("--([a-z-]+)");
  const std::string own = std::regex_replace(text, kElsewhere, "");
  std::set<std::string> names;
  for (std::sregex_iterator found(own.begin(), own.end(), kOption), end; found != end; ++found)
    names.insert((*found)[1]);
  return names;
}

TEST(Advice, NoCommandNamesAnOptionThatItLacks) {
  for (const Command& command : commands()) {
    std::set<std::string> known;
    for (const OptionText& option : options_of(command).options()) known.insert(option.name);
    for (int number = 1; number <= static_cast<int>(Remedy::fewer_open_files); ++number) {
      for (const std::string advice : {"", "ask a friend"}) {
        const Error error("is bad", {}, advice, static_cast<Remedy>(number));
        const std::string text = text_of(error, std::string(command.text.name));
        for (const std::string& name : options_in(text))
          EXPECT_TRUE(known.contains(name)) << command.text.name << ": " << text;
        EXPECT_NE(text.find(advice), std::string::npos) << text;
      }
    }
  }
}

TEST(Advice, TellsWhatACommandHasAndWhatOnlyRepackHas) {
  EXPECT_EQ(
      text_of(Error("is mixed", {}, Remedy::choose_subset), "repack"),
      "is mixed (choose with --subset, for example --subset train; --subset all takes all of them, mixed)");
  EXPECT_EQ(text_of(Error("is mixed", {}, Remedy::choose_subset), "update"),
            "is mixed (shardmill repack chooses with --subset when it makes a dataset, for example --subset "
            "train)");
  EXPECT_EQ(text_of(Error("lacks texts", {}, Remedy::allow_missing_text), "repack"),
            "lacks texts (--require-text leaves out such samples, --allow-missing-text accepts them)");
  EXPECT_EQ(text_of(Error("lacks texts", {}, Remedy::allow_missing_text), "update"),
            "lacks texts (--allow-missing-text accepts such samples)");
  EXPECT_EQ(text_of(Error("is full", {}, "make room", Remedy::ignore_free_space), "update"),
            "is full (make room, or --ignore-free-space tries it anyway)");
  EXPECT_EQ(text_of(Error("is no folder", {}, "move it", Remedy::not_replaced), "update"),
            "is no folder (move it)");
  EXPECT_EQ(
      text_of(Error("takes 2 GiB", {}, "3GiB will do, or at most 1 file at a time", Remedy::fewer_open_files),
              "update"),
      "takes 2 GiB (--memory 3GiB will do, or at most 1 file at a time: --interleave of shardmill repack)");
}

TEST(Advice, TheRemedyStaysWhenThePlaceBecomesKnown) {
  const Error error = Error("is bad", {}, Remedy::start_over).within(at("a.tar"));
  EXPECT_EQ(text_of(error), "a.tar: is bad (start over with --force)");
}

}  // namespace
}  // namespace shardmill::cli
