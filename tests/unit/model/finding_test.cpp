#include "model/finding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

namespace shardmill {

namespace {

TEST(ShardFinding, EveryProblemHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  const int problems = static_cast<int>(ShardProblem::data_after_end) + 1;
  for (int i = 0; i < problems; ++i) {
    const std::string_view word = name(static_cast<ShardProblem>(i));
    EXPECT_EQ(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << word;
    words.insert(word);
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(problems));
  EXPECT_EQ(words.count("unknown"), 0u);
}

// Written out: an enumerator in the wrong place would turn an odd member into damage, or damage into nothing.
TEST(ShardFinding, OnlyWhatIsBrokenIsDamage) {
  using enum ShardProblem;
  for (const ShardProblem odd :
       {directory, link, special_file, sparse_file, oversized_member, odd_name, no_key, duplicate_member}) {
    EXPECT_FALSE(is_damage(odd)) << name(odd);
  }
  for (const ShardProblem broken : {not_a_tar, bad_header, bad_extension, gap, resumed, truncated, no_end,
                                    lone_zero_block, data_after_end}) {
    EXPECT_TRUE(is_damage(broken)) << name(broken);
  }
}

}  // namespace

namespace {

TEST(Finding, SaysWhatIsKnownOfThePlace) {
  EXPECT_EQ(to_string(Finding{.where = {}, .what = "odd"}), "odd");
  EXPECT_EQ(to_string(Finding{.where = {}, .tar_offset = 0, .what = "odd"}), "tar offset 0: odd");
  EXPECT_EQ(to_string(Finding{.where = {.path = "a.tar", .member = "x"}, .tar_offset = 1024, .what = "odd"}),
            "a.tar: member 'x': tar offset 1024: odd");
}

TEST(Finding, CannotForgeALineOfAReport) {
  const std::string text =
      to_string(Finding{.where = {.path = "a\n.tar", .member = "\x1b[2J"}, .what = "line\rend\n"});
  EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; })) << text;
}

std::vector<std::string> texts(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back(to_string(finding));
  return out;
}

TEST(FindingList, GivesTheSameOrderWhateverTheThreadsDid) {
  std::vector<Finding> all;
  for (const char* path : {"a", "b"}) {
    for (const std::uint64_t offset : {9U, 10U, 100U}) {  // as numbers, not as text
      for (const char* member : {"x", "y"}) {
        all.push_back({.where = {.path = path, .member = member}, .tar_offset = offset, .what = "1"});
        all.push_back({.where = {.path = path, .member = member}, .tar_offset = offset, .what = "2"});
      }
    }
  }
  const std::vector<std::string> in_order = texts(all);
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(all.begin(), all.end(), random);
    FindingList list;
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::thread other([&] {
      for (auto finding = all.begin(); finding != half; ++finding) list.add(*finding);
    });
    for (auto finding = half; finding != all.end(); ++finding) list.add(*finding);
    other.join();
    EXPECT_EQ(texts(list.take()), in_order);
    EXPECT_TRUE(list.take().empty());
  }
}

TEST(FindingList, DamageOfAShardIsACauseAndAnOddMemberIsNot) {
  FindingList list;
  using Severity = Finding::Severity;
  list.add("a", {.problem = ShardProblem::truncated, .name = {}, .offset = 1, .text = "cut"},
           Severity::finding);
  list.add("b", {.problem = ShardProblem::link, .name = "l", .offset = 2, .text = "a link"},
           Severity::finding);
  list.add("c", {.problem = ShardProblem::data_after_end, .name = {}, .offset = 3, .text = "more"},
           Severity::note);
  list.add_cause(Error("missing", at("d")));
  list.add(Error("wrong", at("e")));
  list.note(at("f"), "new");
  std::string causes;
  std::string notes;
  for (const Finding& finding : list.take()) {
    if (finding.is_cause) causes += finding.where.path;
    if (finding.severity == Severity::note) notes += finding.where.path;
  }
  EXPECT_EQ(causes, "ad");
  EXPECT_EQ(notes, "cf");
}

}  // namespace

}  // namespace shardmill
