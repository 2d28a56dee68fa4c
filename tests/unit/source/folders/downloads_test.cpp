#include "source/folders/downloads.hpp"

#include <gtest/gtest.h>

namespace shardmill::source {
namespace {

TEST(FinishedName, WhatBrowsersAndOthersPutBehindIt) {
  EXPECT_EQ(finished_name("x.tgz.part"), "x.tgz");
  EXPECT_EQ(finished_name("x.tgz.crdownload"), "x.tgz");
  EXPECT_EQ(finished_name("x.tgz.aria2"), "x.tgz");
  EXPECT_EQ(finished_name("Unconfirmed 12.crdownload"), "Unconfirmed 12");
  EXPECT_EQ(finished_name("x.tgz"), std::nullopt);
  EXPECT_EQ(finished_name(".part"), std::nullopt);
  EXPECT_EQ(finished_name("part"), std::nullopt);
}

}  // namespace
}  // namespace shardmill::source
