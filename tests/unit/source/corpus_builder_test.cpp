#include "source/corpus_builder.hpp"

#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;

TEST(Facts, TakenNamesGetAPrefix) {
  Facts facts;
  facts.text("speaker", "S1").text("gender", "").json("n", "[1]").text("text", "x").text("key", "\n");
  EXPECT_EQ(facts.members(), R"("speaker":"S1","n":[1],"source_text":"x","source_source_key":"\n")");
  facts.clear();
  facts.text("name", "speaker")
      .text("speaker", "S1")
      .text("speaker", "S2")
      .text("key", "1")
      .text("source_key", "2");
  EXPECT_EQ(facts.members(),
            R"("name":"speaker","speaker":"S1","source_speaker":"S2","source_source_key":"1",)"
            R"("source_source_source_key":"2")");
}

TEST(CorpusBuilder, UtterancesOfARecordingComeByTheirBeginningsThoseOfAShardByTheirKeys) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  const std::size_t unused = builder.recording(SourceKind::recording, folder.write("u.wav", "u"));
  const std::size_t shard = builder.recording(SourceKind::shard, folder.write("s.tar", "s"), {}, true);
  const std::size_t wav = builder.recording(SourceKind::recording, folder.write("a.wav", "a"));
  EXPECT_EQ(builder.recording(SourceKind::recording, folder.file("a.wav")), wav);
  EXPECT_NE(unused, wav);
  builder.utterance(wav, {.key = "b", .text = "B", .begin_seconds = 2, .end_seconds = 3});
  builder.utterance(shard, {.key = "z", .text = "Z"});
  builder.utterance(wav, {.key = "a", .text = "", .begin_seconds = 1});
  builder.utterance(shard, {.key = "y", .facts = "\"f\":1"});
  const CorpusFiles files = builder.take();
  EXPECT_THAT(lines_of(files, folder),
              ElementsAre("s.tar y {\"f\":1}", "s.tar z 'Z'", "a.wav a [1 inf] ''", "a.wav b [2 3] 'B'"));
  EXPECT_TRUE(files.audio[0].only_listed);
  EXPECT_FALSE(files.audio[1].only_listed);
  EXPECT_THAT(builder.take().audio, IsEmpty());
}

TEST(CorpusBuilder, WarningsOfTheSameProblemBecomeOne) {
  CorpusBuilder builder;
  for (const char* path : {"a", "b", "c"}) builder.warn(Error("is odd", at(path), "look"));
  builder.warn(Error("is even", at("d")));
  EXPECT_THAT(warnings_of(builder.take()), ElementsAre("a: is odd (2 more times) (look)", "d: is even"));
}

TEST(CorpusBuilder, WhatCannotBeReadIsNamedForEveryUtterance) {
  const TemporaryFolder folder;
  CorpusBuilder builder;
  const std::size_t gone = builder.recording(SourceKind::recording, "gone.wav", "wav.scp: line 3");
  builder.utterance(gone, {.key = "a"});
  builder.utterance(gone, {.key = "b", .begin_seconds = 2, .end_seconds = 1});
  const CorpusFiles files = builder.take();
  EXPECT_THAT(unusable_lines(files),
              ElementsAre("audio a: gone.wav: No such file or directory (named in wav.scp: line 3)",
                          "audio b: gone.wav: No such file or directory (named in wav.scp: line 3)"));
  EXPECT_THAT(files.audio, IsEmpty());
  EXPECT_THAT(files.warnings, IsEmpty());
  EXPECT_THROW(builder.description(folder.file("none")), Error);
}

}  // namespace
}  // namespace shardmill::source
