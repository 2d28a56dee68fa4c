#include "library/refusals.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "shardmill/error.hpp"

namespace shardmill::library {
namespace {

class Heard final : public Observer {
 public:
  void warn(const Error& warning) override { warnings.emplace_back(warning.what()); }
  void fail(const Error& error) override { failures.emplace_back(error.what()); }

  std::vector<std::string> warnings;
  std::vector<std::string> failures;
};

shard::GroupedSample sample_with(const std::string& damage) {
  shard::GroupedSample sample;
  sample.sample.key = "k";
  sample.damage = damage;
  return sample;
}

TEST(Refusals, DamageIsThrown) {
  Heard heard;
  const Refusals refusals("a.tar", {}, heard);
  EXPECT_TRUE(refusals.accept(sample_with("")));
  EXPECT_THROW(refusals.accept(sample_with("lost")), Error);
  EXPECT_THROW(refusals.take({ShardProblem::truncated, "k.wav", 0, 0, "cut"}), Error);
  EXPECT_TRUE(heard.failures.empty());
}

TEST(Refusals, DamageIsToldWhereItIsPassedOver) {
  Heard heard;
  const Refusals refusals("a.tar", {.skip_damage = true, .limits = {}}, heard);
  EXPECT_FALSE(refusals.accept(sample_with("lost")));
  refusals.take({ShardProblem::truncated, "k.wav", 0, 0, "cut"});
  refusals.refuse(Error("broken"));
  EXPECT_EQ(heard.failures, (std::vector<std::string>{"a.tar: member 'k': lost", "a.tar: member 'k.wav': cut",
                                                      "a.tar: broken"}));
}

TEST(Refusals, WhatIsOnlyOddIsAWarning) {
  Heard heard;
  const Refusals refusals("a.tar", {}, heard);
  refusals.take({ShardProblem::odd_name, "../k.wav", 0, 0, "odd"});
  refusals.take({ShardProblem::link, "latest", 0, 0, "a link"});
  EXPECT_EQ(heard.warnings,
            (std::vector<std::string>{"a.tar: member '../k.wav': odd", "a.tar: member 'latest': a link"}));
}

TEST(Refusals, AMemberOfASampleThatCannotBeReadIsDamage) {
  Heard heard;
  EXPECT_THROW(Refusals("a.tar", {}, heard).take({ShardProblem::link, "k.wav", 0, 0, "a link"}), Error);
}

}  // namespace
}  // namespace shardmill::library
