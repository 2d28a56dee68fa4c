#include "check/inspect/issue.hpp"

#include <gtest/gtest.h>

#include <set>

namespace shardmill::check {
namespace {

const IssueKind kHazard{Severity::hazard, "odd", "", "odd thing", ""};
const IssueKind kDamage{Severity::damage, "bad", "", "bad thing", ""};

IssueList shard_with(int hazards, const std::string& path) {
  IssueList list;
  for (int i = 0; i < hazards; ++i) list.add(kHazard, {.where = {.path = path, .member = std::to_string(i)}});
  return list;
}

TEST(IssueList, CountsIssuesAndShardsAndKeepsTheFirstFew) {
  IssueList all;
  all.merge(shard_with(2, "a"));
  all.merge(IssueList());
  all.merge(shard_with(9, "b"));
  const Issue& issue = all.all().at(kHazard);
  EXPECT_EQ(issue.count, 11u);
  EXPECT_EQ(issue.shards, 2u);
  ASSERT_EQ(issue.first.size(), 3u);
  EXPECT_EQ(issue.first[0].where.path + issue.first[1].where.path + issue.first[2].where.path, "aab");
  EXPECT_EQ(issue.first[2].where.member, "0");
}

TEST(IssueList, KeepsMorePlacesOfDamageWhichMustBeFoundAgain) {
  IssueList list;
  for (int i = 0; i < 50; ++i) list.add(kDamage, {.where = {.path = "a"}}, 3);
  EXPECT_EQ(list.all().at(kDamage).count, 150u);
  EXPECT_EQ(list.all().at(kDamage).shards, 1u);
  EXPECT_EQ(list.all().at(kDamage).first.size(), 20u);
}

TEST(IssueList, LostSamplesAddUp) {
  IssueList one = shard_with(1, "a");
  one.lose_sample(kHazard);
  one.lose_sample(kHazard);
  IssueList all;
  all.merge(one);
  all.merge(one);
  EXPECT_EQ(all.all().at(kHazard).lost_samples, 4u);
}

TEST(IssueList, DamageComesFirst) {
  IssueList list = shard_with(1, "a");
  EXPECT_FALSE(list.has(Severity::damage));
  list.add(kDamage, {.where = {.path = "a"}});
  EXPECT_TRUE(list.has(Severity::damage));
  EXPECT_TRUE(list.has(Severity::hazard));
  EXPECT_FALSE(list.has(Severity::note));
  EXPECT_EQ(list.all().begin()->first.id, "bad");
}

// What is damage to the parser of tars is damage here, too, unless something else says so already.
TEST(IssueOf, ProblemsOfShardsAreAsSevereAsTheyAre) {
  std::set<std::string_view> ids;
  for (int i = 0; i <= static_cast<int>(ShardProblem::data_after_end); ++i) {
    const auto problem = static_cast<ShardProblem>(i);
    const auto kind = issue::of(problem);
    if (!kind) continue;
    EXPECT_EQ(kind->severity == Severity::damage, is_damage(problem)) << shardmill::name(problem);
    EXPECT_TRUE(ids.insert(kind->id).second) << kind->id;
  }
  for (const ShardProblem silent : {ShardProblem::directory, ShardProblem::gap, ShardProblem::resumed})
    EXPECT_FALSE(issue::of(silent)) << shardmill::name(silent);
}

TEST(Severity, HasItsName) {
  EXPECT_EQ(name(Severity::damage), "damage");
  EXPECT_EQ(name(Severity::hazard), "hazard");
  EXPECT_EQ(name(Severity::note), "note");
}

}  // namespace
}  // namespace shardmill::check
