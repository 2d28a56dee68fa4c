#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class NemoManifestTest : public CorpusTest {
 protected:
  CorpusFiles read(const std::string& name) { return read_as(kNemo, name); }
  std::string problem(const std::string& name) { return problem_as(kNemo, name); }
};

TEST_F(NemoManifestTest, RawLinesAndSegments) {
  folder_.write("m/wavs/a.wav", "a");
  const std::string b = folder_.write("b.c.flac", "b");
  folder_.write("m/manifest.json",
                R"({"audio_filepath": "wavs/a.wav", "duration": 1.25, "text": "hi", "lang": "en"})"
                "\n"
                R"({"audio_filepath": ")" +
                    b +
                    R"(", "duration": 2, "offset": 0.5, "text": "x"})"
                    "\n"
                    R"({"audio_filepath": ")" +
                    b +
                    R"(", "offset": 0.0, "duration": 0.25})"
                    "\n");
  const CorpusFiles files = read("m/manifest.json");
  const std::string key = b.substr(1, b.size() - 6);
  EXPECT_THAT(lines_of(files, folder_), ElementsAre(R"(m/wavs/a.wav wavs/a 'hi' {"lang":"en"})",
                                                    "b.c.flac " + key + "-0000000-0000250 [0 0.25]",
                                                    "b.c.flac " + key + "-0000500-0002500 [0.5 2.5] 'x'"));
  EXPECT_EQ(files.audio[0].utterances[0].seconds, 1.25);
  EXPECT_TRUE(files.audio[0].utterances[0].keeps_to_seconds);
  EXPECT_FALSE(files.audio[1].utterances[1].keeps_to_seconds);
  EXPECT_EQ(files.audio[0].kind, SourceKind::recording);
}

TEST_F(NemoManifestTest, KeysBelowTheManifestBeginThere) {
  const std::string a = folder_.write("m/x/a.wav", "a");
  folder_.write("m/manifest.json", R"({"audio_filepath":")" + a + R"("})");
  EXPECT_THAT(lines_of(read("m/manifest.json"), folder_), ElementsAre("m/x/a.wav x/a"));
}

TEST_F(NemoManifestTest, TarredByShardId) {
  folder_.write("t/audio_0.tar", "0");
  folder_.write("t/audio_1.tar", "1");
  folder_.write("t/tarred_audio_manifest.json",
                R"({"audio_filepath":"b.wav","text":"B","duration":2.5,"shard_id":1,"spk":3})"
                "\n"
                R"({"audio_filepath":"a.x.wav","text":"A","shard_id":1,"offset":0})"
                "\n"
                R"({"audio_filepath":"c.wav","text":"C","shard_id":0})"
                "\n"
                R"({"audio_filepath":"d.wav","text":"D","shard_id":7})"
                "\n");
  const CorpusFiles files = read("t/tarred_audio_manifest.json");
  EXPECT_THAT(
      lines_of(files, folder_),
      ElementsAre("t/audio_1.tar a.x 'A'", R"(t/audio_1.tar b 'B' {"spk":3})", "t/audio_0.tar c 'C'"));
  EXPECT_EQ(files.audio[0].kind, SourceKind::shard);
  EXPECT_TRUE(files.audio[0].only_listed);
  EXPECT_THAT(unusable_lines(files),
              ElementsAre(HasSubstr("t/audio_7.tar: No such file or directory (named in")));
}

TEST_F(NemoManifestTest, PartsOfMembersOfTars) {
  folder_.write("t/audio_0.tar", "0");
  folder_.write("t/m.json",
                R"({"audio_filepath":"a.wav","text":"A","duration":1.5,"offset":0.25,"shard_id":0})"
                "\n"
                R"({"audio_filepath":"a-sub1.wav","text":"B","duration":1,"offset":2,"shard_id":0})"
                "\n"
                R"({"audio_filepath":"a-sub2.wav","text":"C","duration":1,"offset":-1,"shard_id":0})"
                "\n");
  const CorpusFiles files = read("t/m.json");
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre("t/audio_0.tar a [0.25 1.75] 'A'", "t/audio_0.tar a-sub1 [2 3] 'B'"));
  EXPECT_THAT(unusable_lines(files), ElementsAre(HasSubstr("m.json: line 3)")));
}

TEST_F(NemoManifestTest, KeysDoNotDependOnHowTheManifestIsNamed) {
  const std::string a = folder_.write("m/x/a.wav", "a");
  folder_.write("m/manifest.json", R"({"audio_filepath":")" + a + R"("})");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const CorpusFiles files = read_corpus(kNemo, "m/../m/manifest.json", {});
  std::filesystem::current_path(before);
  EXPECT_THAT(lines_of(files, folder_), ElementsAre("m/x/a.wav x/a"));
}

TEST_F(NemoManifestTest, OneManifestATar) {
  folder_.write("t/audio_0.tar", "0");
  folder_.write("t/audio_12.tar", "1");
  folder_.write("t/sharded/manifest_12.json", R"({"audio_filepath":"a.wav","text":"A"})");
  EXPECT_THAT(lines_of(read("t/sharded/manifest_12.json"), folder_), ElementsAre("t/audio_12.tar a 'A'"));
  folder_.write("o/shards/audio_000000003.tar.zst", "3");
  folder_.write("o/manifests/manifest_000000003.json", R"({"audio_filepath":"a.wav","shard_id":3})");
  EXPECT_THAT(lines_of(read("o/manifests/manifest_000000003.json"), folder_),
              ElementsAre("o/shards/audio_000000003.tar.zst a"));
}

TEST_F(NemoManifestTest, WhatMakesNoSenseIsNamed) {
  folder_.write("m/m.json", R"({"audio_filepath":"a.wav","shard_id":0})");
  EXPECT_THAT(problem("m/m.json"), HasSubstr("m.json: line 1: is about tars, but no tars lie beside it"));
  folder_.write("m/audio_0.tar", "0");
  folder_.write("m/other_0.tar", "0");
  EXPECT_THAT(problem("m/m.json"), HasSubstr("line 1: shard 0 could be "));
  folder_.write("n/n.json", R"({"audio_filepath":"a.wav","duration":"long"})");
  EXPECT_THAT(problem("n/n.json"), HasSubstr("line 1: 'duration' is not a number"));
}

}  // namespace
}  // namespace shardmill::source
