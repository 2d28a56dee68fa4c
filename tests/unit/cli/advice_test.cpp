#include "cli/advice.hpp"

#include <gtest/gtest.h>

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
  for (int number = 1; number <= static_cast<int>(Remedy::allow_lost_audio); ++number) {
    const std::string alone = text_of(Error("is bad", {}, static_cast<Remedy>(number)));
    const std::string beside = text_of(Error("is bad", {}, "ask a friend", static_cast<Remedy>(number)));
    EXPECT_NE(alone.find("--"), std::string::npos) << number;
    EXPECT_NE(beside.find("--"), std::string::npos) << number;
    EXPECT_NE(beside.find("ask a friend"), std::string::npos) << number;
  }
}

TEST(Advice, TheRemedyStaysWhenThePlaceBecomesKnown) {
  const Error error = Error("is bad", {}, Remedy::start_over).within(at("a.tar"));
  EXPECT_EQ(text_of(error), "a.tar: is bad (start over with --force)");
}

}  // namespace
}  // namespace shardmill::cli
