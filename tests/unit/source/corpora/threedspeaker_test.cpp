#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(ThreeDSpeakerTest, WhatANameSays) {
  EXPECT_THAT(
      ToldTree(kThreeDSpeaker).says("test/3D_SPK_1/3D_SPK_1_001_Device02_Distance06_Dialect03.wav"),
      ElementsAre(
          R"(3D_SPK_1_001_Device02_Distance06_Dialect03 {"speaker":"3D_SPK_1","device":"02","distance":"06","dialect":"03","language":"zh","lang":"zh","subset":"test"})"));
}

}  // namespace
}  // namespace shardmill::source
