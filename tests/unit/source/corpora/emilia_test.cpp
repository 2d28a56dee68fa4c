#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(EmiliaTest, RowsThatMakeNoSense) {
  EXPECT_THAT(ToldTree(kEmilia).problem("EN_B0.jsonl", R"({"id": "a", "wav": "x/b.mp3", "text": "c"})"),
              HasSubstr("line 1: has the id of another file"));
  EXPECT_THAT(ToldTree(kEmilia).problem("EN_B0.jsonl", R"({"id": "a", "wav": "x/a.mp3"})"),
              HasSubstr("text"));
  EXPECT_THAT(ToldTree(kEmilia).problem("EN_B0.jsonl", "[]"), HasSubstr("is not a JSON object"));
  ToldTree corpus(kEmilia);
  EXPECT_TRUE(corpus.tell("EN_B0.jsonl", R"({"id": "a", "wav": "x/a.mp3", "text": " Hi. ", "dnsmos": 3.5})"));
  EXPECT_THAT(corpus.says("x/a.mp3"), ElementsAre(R"(a 'Hi.' {"dnsmos":3.5})"));
}

}  // namespace
}  // namespace shardmill::source
