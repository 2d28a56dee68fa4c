#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(Yodas2Test, CaptionsInBothForms) {
  ToldTree corpus(kYodas2);
  EXPECT_TRUE(corpus.tell("data/en000/text/00000000.json",
                          R"([{"audio_id": "v", "text": {"v-0-00000050-00000175": " a "}},
                              {"audio_id": "w", "utterances": [{"utt_id": "u", "text": "b", "start": 1.5, "end": 2}]}])"));
  corpus.end();
  EXPECT_THAT(
      corpus.says("data/en000/audio/v.wav"),
      ElementsAre(
          R"(v-0-00000050-00000175 [0.5 1.75] 'a' {"language":"en","lang":"en","captions":"manual","recording":"v","subset":"en000"})"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("en000/w")));
  EXPECT_THAT(corpus.says("data/en000/audio/00000000/w.wav"), ElementsAre(HasSubstr("u [1.5 2] 'b'")));
  EXPECT_THAT(
      ToldTree(kYodas2).problem("x/en000/text/0.json", R"([{"audio_id": "v", "text": {"a-b": "c"}}])"),
      HasSubstr("does not end with two times"));
  EXPECT_THAT(ToldTree(kYodas2).problem("x/en000/text/0.json", R"([{"audio_id": "v"}])"), HasSubstr("text"));
}

}  // namespace
}  // namespace shardmill::source
