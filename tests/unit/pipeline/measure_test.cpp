#include "pipeline/measure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/made_wav.hpp"

namespace shardmill::pipeline {
namespace {

using manifest::RejectReason;

shard::GroupedSample sample(const std::vector<std::pair<std::string, std::string>>& members) {
  shard::GroupedSample grouped;
  grouped.sample.key = "key";
  for (const auto& [extension, content] : members) {
    const auto bytes = base::as_bytes(content);
    grouped.sample.members.push_back(
        {.name = "key." + extension, .extension = extension, .bytes = Bytes(bytes.begin(), bytes.end())});
  }
  return grouped;
}

Measured measured(shard::GroupedSample&& grouped, const IntakeOptions& options = {}) {
  return std::move(
      measure(std::move(grouped), Origin{.dataset = 0, .dataset_name = "d", .source = "s.tar"}, options)
          .front());
}

/// Why it is left out; nullopt when it is taken.
std::optional<RejectReason> reason(shard::GroupedSample&& grouped, const IntakeOptions& options = {}) {
  const Measured one = measured(std::move(grouped), options);
  const auto* reject = std::get_if<manifest::Reject>(&one.outcome);
  return reject == nullptr ? std::nullopt : std::optional(reject->reason);
}

TEST(Measure, AGoodSampleIsReadyToBePacked) {
  const std::string wav = testing::made_wav(8000);
  const Measured one = measured(sample({{"txt", "words\n"}, {"wav", wav}}));
  const auto& utterance = std::get<Utterance>(one.outcome);
  EXPECT_TRUE(utterance.has_text);
  EXPECT_EQ(utterance.record.text, "words");
  EXPECT_EQ(utterance.record.duration_seconds, 0.5);
  EXPECT_EQ(utterance.record.audio.sample_rate, 16000U);
  EXPECT_EQ(utterance.record.audio_bytes, wav.size());
  EXPECT_EQ(utterance.record.xxh3, base::xxh3_128(base::as_bytes(wav)));
  EXPECT_EQ(utterance.packed.bytes.size() % 512, 0U);
}

TEST(Measure, AHeaderThatGivesLessAudioThanThereIsIsNeverPassedOverInSilence) {
  const std::string wav = testing::made_wav(8000);
  using Warnings = std::vector<std::string_view>;
  EXPECT_EQ(measured(sample({{"wav", wav}})).warnings, Warnings());
  EXPECT_EQ(measured(sample({{"wav", wav + "other bytes"}})).warnings, Warnings{"bytes_after_audio"});
  std::string lying = wav;
  lying.replace(40, 4, std::string("\x40\x1f\0\0", 4));  // half of its audio
  for (const auto container : {audio::WantedForm::Container::keep, audio::WantedForm::Container::flac}) {
    const Measured one = measured(sample({{"wav", lying}}), {.form = {.container = container}});
    EXPECT_EQ(one.warnings, Warnings{"mended_header"});
    EXPECT_EQ(std::get<Utterance>(one.outcome).record.audio.frames, 8000U);
  }
  lying.replace(4, 4, std::string("\x64\x1f\0\0", 4));  // the RIFF ends there, too
  const Measured half = measured(sample({{"wav", lying}}));
  EXPECT_EQ(half.warnings, Warnings{"bytes_after_audio"});
  EXPECT_EQ(std::get<Utterance>(half.outcome).record.audio.frames, 4000U);
}

TEST(Measure, ASampleKeepsToTheLengthThatItsCorpusGives) {
  const std::string wav = testing::made_wav(32000);
  const auto with_length = [&wav](double seconds) {
    shard::GroupedSample grouped = sample({{"wav", wav}});
    grouped.keeps_to_seconds = seconds;
    return grouped;
  };
  for (const double seconds : {0.0, 1.95, 2.0, 2.01}) {
    const Measured whole = measured(with_length(seconds));
    EXPECT_EQ(std::get<Utterance>(whole.outcome).record.xxh3, base::xxh3_128(base::as_bytes(wav))) << seconds;
  }
  const Measured one = measured(with_length(0.5));
  const manifest::SampleRecord& record = std::get<Utterance>(one.outcome).record;
  EXPECT_EQ(record.audio.frames, 8000U);
  EXPECT_EQ(record.duration_seconds, 0.5);
  EXPECT_EQ(record.facts, R"("source_begin":0.0,"source_end":0.5)");
  EXPECT_EQ(reason(with_length(3)), RejectReason::bad_segment);
}

TEST(Measure, WhatIsNoSampleIsLeftOutAndSaysWhy) {
  const std::string wav = testing::made_wav(8000);
  EXPECT_EQ(reason(sample({{"txt", "words"}, {"wav", wav}})), std::nullopt);
  EXPECT_EQ(reason(sample({{"txt", "words"}})), RejectReason::no_audio);
  EXPECT_EQ(reason(sample({{"wav", wav}, {"flac", "fLaC"}})), RejectReason::several_audio);
  EXPECT_EQ(reason(sample({{"txt", "\xff"}, {"wav", wav}})), RejectReason::bad_text);
  EXPECT_EQ(reason(sample({{"txt", "words"}, {"wav", ""}})), RejectReason::empty_audio);
  EXPECT_EQ(reason(sample({{"txt", "words"}, {"wav", "no audio at all"}})), RejectReason::bad_audio);
  EXPECT_EQ(reason(sample({{"txt", "words"}, {"wav", wav.substr(0, 9000)}})), RejectReason::truncated_audio);
}

TEST(Measure, ADamagedJsonMayHaveNamedTheSpeaker) {
  const std::string wav = testing::made_wav(16000);
  for (const char* damaged : {"", "{", "speaker: A", "{\"speaker\":\"\xff\"}",
                              R"({"speaker":"A"}{"speaker":"B"})", R"({"speaker":"A","speaker":"B"})"})
    EXPECT_EQ(reason(sample({{"txt", "words"}, {"wav", wav}, {"json", damaged}})), RejectReason::bad_text)
        << damaged;
  using Warnings = std::vector<std::string_view>;
  for (const char* other : {"[]", R"([{"speaker":"A"}])", "7", "null", R"("A")"})
    EXPECT_EQ(measured(sample({{"txt", "words"}, {"wav", wav}, {"json", other}})).warnings,
              Warnings{"json_without_fields"})
        << other;
}

TEST(Measure, TheUsersFiltersAreObeyed) {
  const auto made = [] { return sample({{"wav", testing::made_wav(16000)}}); };
  EXPECT_EQ(reason(made()), std::nullopt);
  EXPECT_EQ(reason(made(), {.filters = {.min_seconds = 1.5}}), RejectReason::too_short);
  EXPECT_EQ(reason(made(), {.filters = {.max_seconds = 0.5}}), RejectReason::too_long);
  EXPECT_EQ(reason(made(), {.filters = {.require_text = true}}), RejectReason::no_text);
  EXPECT_EQ(reason(made(), {.keys = {.include = {}, .exclude = {"k*"}}}), RejectReason::excluded);
  EXPECT_EQ(reason(made(), {.keys = {.include = {"other"}, .exclude = {}}}), RejectReason::not_included);
  for (const RejectReason filtered : {RejectReason::too_short, RejectReason::excluded, RejectReason::no_text})
    EXPECT_FALSE(is_error(filtered));
  EXPECT_TRUE(is_error(RejectReason::bad_audio));
}

}  // namespace
}  // namespace shardmill::pipeline
