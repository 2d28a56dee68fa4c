#include "pipeline/survey.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "archive/tar_building.hpp"
#include "codec/codec_files.hpp"
#include "source/corpus_builder.hpp"
#include "support/made_wav.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::uint32_t kFramesPerSecond = 16000;

class Surveys : public ::testing::Test {
 protected:
  /// A shard of `count` samples of half a second, each with `more_bytes` beside its audio.
  source::SourceFile shard(const std::string& name, int count, const std::string& packer = "cat",
                           std::size_t more_bytes = 0) {
    std::vector<std::pair<std::string, std::string>> files;
    for (int i = 0; i < count; ++i) {
      const std::string key = name + std::to_string(i);
      files.emplace_back(key + ".txt", "words");
      files.emplace_back(key + ".wav", testing::made_wav(kFramesPerSecond / 2, static_cast<unsigned>(i)));
      if (more_bytes > 0) files.emplace_back(key + ".bin", std::string(more_bytes, 'x'));
    }
    return file(name, codec::testing::through(packer, archive::make_tar(files)));
  }

  source::SourceFile file(const std::string& name, const std::string& content) {
    return {.path = folder_.write(name, content), .bytes = content.size()};
  }

  static Inputs inputs_of(std::vector<source::SourceFile> files, double weight = 1) {
    Inputs inputs;
    inputs.datasets = {{.name = "d", .weight = weight}};
    inputs.streams = {{.name = "d", .files = std::move(files), .datasets = {0}}};
    return inputs;
  }

  deal::InputEstimate estimate(std::vector<source::SourceFile> files, double weight = 1) {
    return survey(inputs_of(std::move(files), weight), options_, reporter_).estimates.at(0);
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  IntakeOptions options_;
};

TEST_F(Surveys, EstimateShardsFromTheirFirstSamples) {
  const deal::InputEstimate found = estimate({shard("a", 100), shard("b", 50), shard("c", 50)});
  EXPECT_NEAR(static_cast<double>(found.samples), 200, 4);
  EXPECT_NEAR(static_cast<double>(found.seconds), 100, 2);
  EXPECT_NEAR(static_cast<double>(found.bytes), 200 * (16384 + 512 + 1024), 200'000);
  EXPECT_TRUE(reporter_.warnings.empty());
}

TEST_F(Surveys, EstimateCompressedShards) {
  for (const char* packer : {"bzip2 -1c", "gzip -1c", "zstd -qc"})
    EXPECT_NEAR(static_cast<double>(estimate({shard("a", 100, packer)}).samples), 100, 10) << packer;
}

TEST_F(Surveys, LookAtMoreShardsWhereTheyAreUnlike) {
  std::vector<source::SourceFile> files;
  for (int i = 0; i < 24; ++i) {
    const bool is_wide = i % 4 == 1;
    const std::string name = "s" + std::to_string(i) + "_";
    files.push_back(is_wide ? shard(name, 80, "cat", 100'000) : shard(name, 200));
  }
  EXPECT_NEAR(static_cast<double>(estimate(files).samples), 6 * 80 + 18 * 200, 400);
}

TEST_F(Surveys, JudgeShardsByHowTheyAreCompressed) {
  std::vector<source::SourceFile> files{shard("a.tar", 400), shard("b.tar", 400)};
  for (const char* name : {"c.tar.gz", "d.tar.gz", "e.tar.gz", "f.tar.gz", "g.tar.gz"})
    files.push_back(shard(name, 100, "gzip -1c", 100'000));
  EXPECT_NEAR(static_cast<double>(estimate(files).samples), 2 * 400 + 5 * 100, 60);
}

TEST_F(Surveys, ReadOnUntilASampleIsWhole) {
  EXPECT_NEAR(static_cast<double>(estimate({shard("a", 3, "cat", 30 << 20)}).samples), 3, 1);
}

TEST_F(Surveys, CountTheWeightOfADataset) {
  const deal::InputEstimate once = estimate({shard("a", 100)});
  const deal::InputEstimate twice = estimate({shard("a", 100)}, 2);
  EXPECT_EQ(twice.samples, 2 * once.samples);
  EXPECT_EQ(twice.seconds, 2 * once.seconds);
  EXPECT_EQ(twice.bytes, 2 * once.bytes);
}

TEST_F(Surveys, LeaveFilesThatCannotBeReadToTheRun) {
  const source::SourceFile missing{.path = folder_.file("missing"), .bytes = 1000};
  EXPECT_EQ(estimate({missing, file("garbage", std::string(5000, 'x'))}).samples, 0U);
  EXPECT_GT(estimate({missing, shard("a", 20)}).samples, 0U);
}

TEST_F(Surveys, KnowNothingOfNoInput) {
  EXPECT_EQ(estimate({}).samples, 0U);
  EXPECT_TRUE(survey({}, options_, reporter_).estimates.empty());
}

TEST_F(Surveys, CountTheUtterancesOfRecordings) {
  const std::string wav = testing::made_wav(4 * kFramesPerSecond);
  source::CorpusBuilder corpus;
  const auto recording = [&](const std::string& name) {
    return corpus.recording(source::SourceKind::recording, folder_.write(name, wav));
  };
  const std::size_t cut = recording("cut.wav");
  corpus.utterance(cut, {.key = "a", .begin_seconds = 0.5, .end_seconds = 1.5});
  corpus.utterance(cut, {.key = "b", .begin_seconds = 2, .end_seconds = 4});
  corpus.utterance(recording("said.wav"), {.key = "c", .seconds = 4});
  corpus.utterance(recording("unsaid.wav"), {.key = "d"});
  const deal::InputEstimate found = estimate(corpus.take().audio);
  EXPECT_EQ(found.samples, 4U);
  EXPECT_EQ(found.seconds, 3U + 4 + 4);
  EXPECT_NEAR(static_cast<double>(found.bytes), 11 * 32000 + 4 * 1536, 1000);
}

TEST_F(Surveys, CountWhatGoesOnToTheEndOfARecording) {
  source::CorpusBuilder corpus;
  const std::size_t recording = corpus.recording(
      source::SourceKind::recording, folder_.write("long.wav", testing::made_wav(10 * kFramesPerSecond)));
  corpus.utterance(recording, {.key = "a", .begin_seconds = 0, .end_seconds = 3});
  corpus.utterance(recording, {.key = "b", .begin_seconds = 3});
  EXPECT_EQ(estimate(corpus.take().audio).seconds, 10U);
}

TEST_F(Surveys, JudgeRecordingsByTheirKind) {
  source::CorpusBuilder corpus;
  const auto whole = [&](const std::string& name, const std::string& content) {
    corpus.utterance(corpus.recording(source::SourceKind::recording, folder_.write(name, content)),
                     {.key = name});
  };
  for (int i = 0; i < 4; ++i)
    whole("r" + std::to_string(i) + ".wav",
          testing::made_wav(2 * kFramesPerSecond, static_cast<unsigned>(i)));
  // Not read by libsndfile, and too many to be decoded by ffmpeg for an estimate.
  const std::string webm = std::string("\x1A\x45\xDF\xA3", 4) + std::string(80'000, 'x');
  for (int i = 0; i < 10; ++i) whole("r" + std::to_string(i) + ".webm", webm);
  EXPECT_NEAR(static_cast<double>(estimate(corpus.take().audio).seconds), 4 * 2 + 10 * 10, 10);
}

TEST_F(Surveys, SayHowTheAudioWillBeNamed) {
  const std::string wav = testing::made_wav(100);
  const Inputs inputs = inputs_of({file("a.tar", archive::make_tar({{"a.txt", "x"}, {"a.WAV", wav}}))});
  EXPECT_EQ(survey(inputs, options_, reporter_).audio_extensions, std::set<std::string>{"wav"});

  source::CorpusBuilder corpus;
  corpus.utterance(corpus.recording(source::SourceKind::recording, folder_.write("whole.flac", "fLaC")),
                   {.key = "a", .seconds = 1});
  corpus.utterance(corpus.recording(source::SourceKind::recording, folder_.write("cut.flac", "fLaC")),
                   {.key = "b", .begin_seconds = 1, .end_seconds = 2});
  EXPECT_EQ(survey(inputs_of(corpus.take().audio), options_, reporter_).audio_extensions,
            (std::set<std::string>{"flac", "wav"}));
}

TEST_F(Surveys, StopWhenAsked) {
  reporter_.signal = 15;
  EXPECT_THROW(estimate({shard("a", 10)}), base::Interrupted);
}

TEST_F(Surveys, AddUp) {
  const deal::InputEstimate all =
      sum({{.samples = 1, .seconds = 2, .bytes = 3}, {.samples = 10, .seconds = 20, .bytes = 30}});
  EXPECT_EQ(all.samples, 11U);
  EXPECT_EQ(all.seconds, 22U);
  EXPECT_EQ(all.bytes, 33U);
}

}  // namespace
}  // namespace shardmill::pipeline
