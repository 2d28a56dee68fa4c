#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(WenetSpeechDialectsTest, NamesOfMembers) {
  ToldTree yue(kWenetSpeechYue);
  EXPECT_TRUE(yue.tell(
      "m.jsonl", R"({"utt_id": "k", "path": "a/f.wav", "rover_result": " t ", "speaker_id": 7, "SNR": 2})"));
  EXPECT_THAT(yue.says("a/f.wav"),
              ElementsAre(R"(k 't' {"speaker":"7","SNR":2,"language":"yue","lang":"yue"})"));
  ToldTree chuan(kWenetSpeechChuan, {.text_field = "text_punc"});
  EXPECT_TRUE(chuan.tell("m.json", R"([{"utt": "a", "filename": "a.wav", "text": "t", "text_punc": "t."}])"));
  EXPECT_THAT(chuan.says("x/a.wav"), ElementsAre(HasSubstr(R"(a 't.' {"source_text":"t",)")));
  EXPECT_THAT(ToldTree(kWenetSpeechWu).problem("m.jsonl", R"({"text": "t"})"),
              HasSubstr("neither an id nor a path"));
}

}  // namespace
}  // namespace shardmill::source
