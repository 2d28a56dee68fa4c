#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(GigaSpeech2Test, TheRefinedTextIsTakenWhateverTheOrder) {
  constexpr const char* kRaw = "0-1-2\tRAW\r\n0-1-3\tonly raw\r\n";
  constexpr const char* kRefined = "0-1-2\tRefined.\n";
  for (const bool raw_first : {true, false}) {
    for (const auto& [options, text] :
         {std::pair(TreeOptions{}, "Refined."), std::pair(TreeOptions{.text_field = "raw"}, "RAW"),
          std::pair(TreeOptions{.subsets = {"train_raw"}}, "RAW")}) {
      ToldTree corpus(kGigaSpeech2, options);
      if (raw_first) {
        EXPECT_TRUE(corpus.tell("data/vi/train_raw.tsv", kRaw));
      }
      EXPECT_TRUE(corpus.corpus().awaits_remarks());
      EXPECT_TRUE(corpus.tell("data/vi/train_refined.tsv", kRefined));
      if (!raw_first) {
        EXPECT_TRUE(corpus.tell("data/vi/train_raw.tsv", kRaw));
      }
      EXPECT_FALSE(corpus.corpus().awaits_remarks());
      EXPECT_THAT(
          corpus.says("data/vi/train/0/1/0-1-2.wav"),
          ElementsAre(fmt::format(
              R"(0-1-2 '{}' {{"language":"vi","lang":"vi","subset":"train_raw train_refined"}})", text)));
      EXPECT_THAT(corpus.says("data/vi/dev/0/1/0-1-2.wav"), ElementsAre("?"));
      EXPECT_THAT(corpus.says("data/th/train/0/1/0-1-2.wav"), ElementsAre("?"));
      EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("line 2: 'vi/train/0-1-3' has a transcript")));
    }
  }
}

TEST(GigaSpeech2Test, WhatAnArchiveHolds) {
  const ToldTree told(kGigaSpeech2);
  const TreeCorpus& corpus = told.corpus();
  for (const auto& [path, name] :
       {std::pair("x/th/train/12.tar.gz", "th/train/12"), std::pair("x/th/train/12/3", "th/train/12"),
        std::pair("x/th/dev.tar.gz", "th/dev"), std::pair("x/th/dev/0/3", "th/dev"),
        std::pair("x/other.tar.gz", "other")})
    EXPECT_EQ(corpus.packed_name(path), name) << path;
  EXPECT_TRUE(corpus.belongs_to("th/train/12-0-1", "th/train/12"));
  EXPECT_FALSE(corpus.belongs_to("th/train/12-0-1", "th/train/1"));
  EXPECT_FALSE(corpus.belongs_to("vi/train/12-0-1", "th/train/12"));
  EXPECT_TRUE(corpus.belongs_to("th/dev/12-0-1", "th/dev"));
}

TEST(GigaSpeech2Test, RowsThatMakeNoSense) {
  EXPECT_THAT(ToldTree(kGigaSpeech2).problem("th/dev.tsv", "0-1-2 no tab\n"),
              HasSubstr("line 1: is not made"));
  EXPECT_THAT(ToldTree(kGigaSpeech2).problem("th/dev.tsv", "0-1-2\ta\tb\n"),
              HasSubstr("line 1: is not made"));
  EXPECT_THAT(ToldTree(kGigaSpeech2).problem("th/dev.tsv", "0-1-2\ta\n0-1-2\ta\n"), HasSubstr("line 2: "));
  ToldTree corpus(kGigaSpeech2);
  EXPECT_TRUE(corpus.tell("th/dev.tsv", "0-1-2\t\n"));
  EXPECT_THAT(corpus.says("th/dev/0/1/0-1-2.wav"), ElementsAre(HasSubstr("0-1-2 ''")));
}

TEST(YodasTest, ALine) {
  ToldTree corpus(kYodas);
  EXPECT_TRUE(corpus.tell("data/fil100/text/00000003.txt", "-a-b-00001-00000123-00000456 two  words\r\n"));
  EXPECT_FALSE(corpus.tell("data/fil100/duration/00000003.txt", "x 1\n"));
  EXPECT_THAT(
      corpus.says("data/fil100/audio/00000003/-a-b-00001-00000123-00000456.wav"),
      ElementsAre(
          R"(-a-b-00001-00000123-00000456 'two  words' {"recording":"-a-b","language":"fil","lang":"fil","captions":"automatic","subset":"fil100"})"));
  EXPECT_TRUE(corpus.corpus().belongs_to("fil100/-a-b-00001-00000123-00000456", "fil100/00000003"));
  EXPECT_FALSE(corpus.corpus().belongs_to("fil100/-a-b-00001-00000123-00000456", "fil100/00000004"));
  EXPECT_EQ(corpus.corpus().packed_name("/x/data/fil100/audio/00000003.tar.gz"), "fil100/00000003");
  EXPECT_EQ(corpus.corpus().packed_name("/x/data/fil100/audio/00000003"), "fil100/00000003");
}

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

TEST(WenetSpeech4TtsTest, AFileNamesItsUtterance) {
  ToldTree corpus(kWenetSpeech4Tts);
  const std::string part = "Standard/WenetSpeech4TTS_Standard_0/";
  EXPECT_TRUE(corpus.tell(part + "txts/a.txt", "a\tone\r\n[[0.0, 1.0, 'one']]\r\n"));
  EXPECT_TRUE(corpus.tell("DNSMOS_P808Scores/Basic_DNSMOS.lst", "a 3.5\n"));
  EXPECT_THAT(
      corpus.says(part + "wavs/a.wav"),
      ElementsAre(
          R"(a 'one' {"timestamp":"[[0.0, 1.0, 'one']]","dnsmos":3.5,"language":"zh","lang":"zh","subset":"Basic Standard"})"));
  EXPECT_THAT(ToldTree(kWenetSpeech4Tts).problem("txts/b.txt", "a\tone\n"), HasSubstr("is about 'a'"));
  EXPECT_THAT(ToldTree(kWenetSpeech4Tts).problem("x/Basic_DNSMOS.lst", "a b\n"), HasSubstr("line 1"));
}

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

TEST(CnCelebTest, NothingWaitsForTexts) {
  ToldTree corpus(kCnCeleb);
  EXPECT_THAT(corpus.says("c/data/id10001/singing-01-002.flac"),
              ElementsAre(HasSubstr("id10001-singing-01-002 {")));
  EXPECT_THAT(
      corpus.says("c/eval/test/id00801-play-01-002.flac"),
      ElementsAre(
          R"(id00801-play-01-002 {"speaker":"id00801","genre":"play","language":"zh","lang":"zh","subset":"eval/test"})"));
  EXPECT_THAT(corpus.says("c/data/id00801/play-01-002.flac"),
              ElementsAre(HasSubstr("data-id00801-play-01-002 {")));
}

TEST(ThreeDSpeakerTest, WhatANameSays) {
  EXPECT_THAT(
      ToldTree(kThreeDSpeaker).says("test/3D_SPK_1/3D_SPK_1_001_Device02_Distance06_Dialect03.wav"),
      ElementsAre(
          R"(3D_SPK_1_001_Device02_Distance06_Dialect03 {"speaker":"3D_SPK_1","device":"02","distance":"06","dialect":"03","language":"zh","lang":"zh","subset":"test"})"));
}

TEST(MdccTest, TheTableNamesTheFileOfTheText) {
  ToldTree corpus(kMdcc);
  EXPECT_TRUE(corpus.tell(
      "d/cnt_asr_valid_metadata.csv",
      "audio_path,text_path,gender,duration\n./audio/a_1.5.wav,./transcription/b_1.5.txt,male,1\n"));
  EXPECT_THAT(corpus.says("d/audio/a_1.5.wav"), ElementsAre("?"));
  EXPECT_TRUE(corpus.tell("d/transcription/b_1.5.txt", "words\n"));
  EXPECT_THAT(
      corpus.says("d/audio/a_1.5.wav"),
      ElementsAre(R"(a_1.5 'words' {"gender":"male","language":"yue","lang":"yue","subset":"valid"})"));
}

}  // namespace
}  // namespace shardmill::source
