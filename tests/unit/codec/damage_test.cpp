#include "codec/damage.hpp"

#include <gtest/gtest.h>

namespace shardmill::codec {

namespace {

TEST(Trailing, DamageSaysWhereAndWhatToDo) {
  const Error error = trailing_damage("a.bz2", 0);
  EXPECT_EQ(error.where().offset, 0u);
  EXPECT_TRUE(std::string(error.what()).starts_with("a.bz2: offset 0: damaged: ")) << error.what();
  EXPECT_NE(error.advice().find("--ignore-trailing"), std::string::npos);
}

TEST(Trailing, WhatIsIgnoredIsNotCalledDamage) {
  const Error warning = trailing_ignored("a.bz2", 77);
  EXPECT_EQ(warning.where().offset, 77u);
  EXPECT_EQ(warning.problem().find("damage"), std::string::npos);
}

}  // namespace

}  // namespace shardmill::codec
