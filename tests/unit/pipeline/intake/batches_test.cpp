#include "pipeline/intake/batches.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "audio/probe.hpp"
#include "audio/wav.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "source/corpus_builder.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::uint32_t kRate = 8000;

/// Frame i of it is i.
std::string counting_wav(std::uint64_t frames) {
  audio::Pcm pcm;
  pcm.sample_rate = kRate;
  pcm.channels = 1;
  for (std::uint64_t i = 0; i < frames; ++i) {
    pcm.data.push_back(static_cast<std::byte>(i));
    pcm.data.push_back(static_cast<std::byte>(i >> 8));
  }
  const Bytes wav = audio::encode_wav(pcm);
  return {reinterpret_cast<const char*>(wav.data()), wav.size()};
}

int first_frame(const Bytes& wav) {
  return std::to_integer<int>(wav.at(44)) | std::to_integer<int>(wav.at(45)) << 8;
}

class SegmentBatchTest : public ::testing::Test {
 protected:
  using Utterance = source::CorpusBuilder::Utterance;

  std::vector<SourceItem> items(source::SourceKind kind, const std::string& path,
                                const std::vector<Utterance>& utterances) {
    source::CorpusBuilder builder;
    for (const Utterance& utterance : utterances) builder.utterance(builder.recording(kind, path), utterance);
    file_ = builder.take().audio.at(0);
    SegmentBatch batch(std::make_shared<OpenedRecording>(file_), file_.utterances);
    batch.prepare();
    return batch.take();
  }

  std::string recording(std::uint64_t frames) { return folder_.write("r.wav", counting_wav(frames)); }

  testing::TemporaryFolder folder_;
  source::SourceFile file_;
};

const shard::GroupedSample& sample(const SourceItem& item) {
  return std::get<shard::GroupedSample>(item);
}

const manifest::Reject& lost(const SourceItem& item) {
  return std::get<manifest::Reject>(item);
}

TEST_F(SegmentBatchTest, AWholeFileStaysWhatItIs) {
  const std::string path = recording(100);
  const auto found = items(source::SourceKind::recording, path,
                           {{.key = "a", .text = "words", .facts = R"("speaker":"S")"}, {.key = "b"}});
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(sample(found[0]).sample.key, "a");
  EXPECT_EQ(sample(found[0]).facts, R"("speaker":"S")");
  ASSERT_EQ(sample(found[0]).sample.members.size(), 2);
  EXPECT_EQ(sample(found[0]).sample.members[0].name, "a.txt");
  EXPECT_EQ(sample(found[0]).sample.members[1].name, "a.wav");
  EXPECT_EQ(sample(found[0]).sample.members[1].bytes.size(), base::File::open_read(path).size());
  EXPECT_EQ(sample(found[1]).sample.members.size(), 1);
}

TEST_F(SegmentBatchTest, SegmentsAreCutToTheFrame) {
  const auto found = items(source::SourceKind::recording, recording(8000),
                           {{.key = "late", .begin_seconds = 0.5},
                            {.key = "early", .begin_seconds = 0.125, .end_seconds = 0.25},
                            {.key = "across", .begin_seconds = 0.2, .end_seconds = 0.6}});
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(sample(found[0]).sample.key, "early");
  EXPECT_EQ(sample(found[0]).facts, R"("source_begin":0.125,"source_end":0.25)");
  const Bytes& early = sample(found[0]).sample.members[0].bytes;
  EXPECT_EQ(first_frame(early), 1000);
  EXPECT_EQ(audio::probe(early).info.frames, 1000);
  const Bytes& across = sample(found[1]).sample.members[0].bytes;
  EXPECT_EQ(first_frame(across), 1600);
  EXPECT_EQ(audio::probe(across).info.frames, 3200);
  const Bytes& late = sample(found[2]).sample.members[0].bytes;
  EXPECT_EQ(first_frame(late), 4000);
  EXPECT_EQ(audio::probe(late).info.frames, 4000);
}

TEST_F(SegmentBatchTest, SegmentsAfterTheEndAreLost) {
  const auto found = items(source::SourceKind::recording, recording(8000),
                           {{.key = "rounded", .begin_seconds = 0.5, .end_seconds = 1.01},
                            {.key = "over", .begin_seconds = 0.6, .end_seconds = 1.5},
                            {.key = "behind", .begin_seconds = 2, .end_seconds = 3}});
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(audio::probe(sample(found[0]).sample.members[0].bytes).info.frames, 4000);
  EXPECT_EQ(lost(found[1]).key, "over");
  EXPECT_EQ(lost(found[1]).reason, manifest::RejectReason::bad_segment);
  EXPECT_EQ(lost(found[1]).problem, "ends at 1.5 s, but its recording at 1.000 s");
  EXPECT_EQ(lost(found[2]).problem, "begins at 2 s, where its recording has ended");
}

TEST_F(SegmentBatchTest, ASegmentMayBeShorterThanAFrame) {
  const auto found = items(source::SourceKind::recording, recording(8000),
                           {{.key = "a", .begin_seconds = 0.5, .end_seconds = 0.50001}});
  EXPECT_EQ(lost(found.at(0)).problem, "holds no frame: from 0.5 s to 0.50001 s at 8000 Hz");
}

/// Of a recording of 100 s: windows that begin every second, `window` seconds long.
BatchPlan plan_of(const std::string& path, double window,
                  source::SourceKind kind = source::SourceKind::recording) {
  std::vector<source::CorpusUtterance> windows;
  for (int i = 0; i < 100; ++i) {
    source::CorpusUtterance& utterance = windows.emplace_back();
    utterance.begin_seconds = i;
    utterance.end_seconds = i + window;
  }
  return plan_batches({.path = path, .bytes = std::uint64_t{20} << 20, .kind = kind, .utterances = windows});
}

TEST(PlanBatches, WhatCanBeSoughtInIsReadInSmallBatches) {
  EXPECT_EQ(plan_of("a.wav", 1).count, 3U);
  EXPECT_EQ(plan_of("a.WAV", 1).bytes, (std::uint64_t{20} << 20) / 3);
}

TEST(PlanBatches, OthersOnlyWhereTheirWindowsOverlap) {
  EXPECT_EQ(plan_of("a.flac", 1).count, 1U);
  EXPECT_EQ(plan_of("a.flac", 1).bytes, std::uint64_t{40} << 20);
  EXPECT_EQ(plan_of("a.flac", 50).count, 33U);
}

TEST(PlanBatches, EachHoldsItsShareOfAllWindows) {
  for (const std::string path : {"a.wav", "a.flac"}) {
    const BatchPlan once = plan_of(path, 1);
    const BatchPlan often = plan_of(path, 50);
    EXPECT_NEAR(static_cast<double>(often.bytes * often.count) / static_cast<double>(once.bytes * once.count),
                50 * 100 / 149.0, 0.01);
  }
}

TEST(PlanBatches, ACommandRunsOnceAndIsCountedByItsSeconds) {
  const BatchPlan plan = plan_of("cat a.wav", 50, source::SourceKind::command);
  EXPECT_EQ(plan.count, 1U);
  EXPECT_EQ(plan.bytes, 100U * 50 * 32000);
}

TEST(PlanBatches, WholeFilesAreNotDecoded) {
  const std::vector<source::CorpusUtterance> one(1);
  const BatchPlan plan = plan_batches(
      {.path = "a.mp3", .bytes = 1000, .kind = source::SourceKind::recording, .utterances = one});
  EXPECT_EQ(plan.count, 1U);
  EXPECT_EQ(plan.bytes, 1000U);
}

TEST_F(SegmentBatchTest, CommandsGiveAudioToo) {
  const std::string command = "cat " + recording(800);
  EXPECT_EQ(sample(items(source::SourceKind::command, command, {{.key = "a"}}).at(0)).sample.members[0].name,
            "a.wav");
  const auto cut =
      items(source::SourceKind::command, command, {{.key = "a", .begin_seconds = 0.01, .end_seconds = 0.02}});
  EXPECT_EQ(first_frame(sample(cut.at(0)).sample.members[0].bytes), 80);
  const auto failed = items(source::SourceKind::command, "exit 4", {{.key = "a"}});
  EXPECT_EQ(lost(failed.at(0)).problem, "failed with exit status 4");
}

TEST_F(SegmentBatchTest, WhatIsNoAudioCannotBeCut) {
  const auto found = items(source::SourceKind::recording, folder_.write("x.wav", "no audio at all"),
                           {{.key = "a", .end_seconds = 1}, {.key = "b", .begin_seconds = 1}});
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(lost(found[0]).reason, manifest::RejectReason::unreadable_source);
  EXPECT_EQ(lost(found[1]).key, "b");
}

TEST(OpenedRecording, IsOpenedOnceForAllItsBatches) {
  const shardmill::testing::TemporaryFolder folder;
  const source::SourceFile file{.path = folder.write("a.wav", "12345")};
  OpenedRecording recording(file);
  const base::File first = recording.handle();
  std::filesystem::remove(first.path());
  EXPECT_EQ(recording.handle().size(), 5U);
}

TEST(OpenedRecording, IsTriedAgainWhereItCouldNotBeOpened) {
  const shardmill::testing::TemporaryFolder folder;
  const source::SourceFile file{.path = folder.file("a.wav")};
  OpenedRecording recording(file);
  EXPECT_THROW(recording.handle(), Error);
  folder.write("a.wav", "12345");
  EXPECT_EQ(recording.handle().size(), 5U);
}

TEST(OpenedRecording, WhatChangesWhileItIsReadEndsTheRun) {
  const shardmill::testing::TemporaryFolder folder;
  const source::SourceFile file{.path = folder.write("a.wav", "12345")};
  OpenedRecording recording(file);
  recording.handle();
  recording.check_unchanged();
  folder.write("a.wav", "123456");
  EXPECT_THROW(recording.check_unchanged(), FatalError);
}

}  // namespace
}  // namespace shardmill::pipeline
