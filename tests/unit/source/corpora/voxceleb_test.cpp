#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(VoxCelebTest, ItsLists) {
  ToldTree corpus(kVoxCeleb);
  EXPECT_TRUE(
      corpus.tell("vox2_meta.csv", "VoxCeleb2 ID ,VGGFace2 ID ,Gender ,Set \nid00012 ,n000012 ,m ,dev \n"));
  EXPECT_THAT(
      corpus.says("aac/id00012/v/00001.m4a"),
      ElementsAre(R"(id00012-v-00001 {"speaker":"id00012","gender":"m","recording":"v","subset":"train"})"));
  EXPECT_THAT(corpus.says("aac/id00013/v/00001.m4a"), ElementsAre("?"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
  EXPECT_THAT(ToldTree(kVoxCeleb).problem("vox1_meta.csv", "a\tb\n"), HasSubstr("VoxCeleb"));
}

}  // namespace
}  // namespace shardmill::source
