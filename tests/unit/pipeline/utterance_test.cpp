#include "pipeline/utterance.hpp"

#include <gtest/gtest.h>

#include "audio/probe.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"
#include "support/made_utterance.hpp"
#include "support/made_wav.hpp"

namespace shardmill::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::made_utterance;

AudioInfo audio_of(std::uint64_t frames, std::uint32_t rate) {
  return {.format = "wav/pcm16", .sample_rate = rate, .channels = 1, .frames = frames};
}

TEST(DurationOf, IsRoundedDownToNanoseconds) {
  EXPECT_EQ(duration_of(audio_of(0, 16'000)), 0ns);
  EXPECT_EQ(duration_of(audio_of(24'000, 16'000)), 1500ms);
  EXPECT_EQ(duration_of(audio_of(1, 3)), 333'333'333ns);
  EXPECT_EQ(duration_of(audio_of(44'099, 44'100)), 999'977'324ns);
}

TEST(DurationOf, LongRecordingsDoNotOverflow) {
  // A year at 192 kHz: its frames times 10^9 are more than 64 bits hold.
  EXPECT_EQ(duration_of(audio_of(std::uint64_t{192'000} * 86'400 * 365 + 96'000, 192'000)), 8760h + 500ms);
}

TEST(UtteranceBytes, AreReadAsTheyWereWritten) {
  Utterance utterance = made_utterance("key");
  utterance.dataset = 3;
  utterance.record.text = "was gesagt wird";
  utterance.record.facts = "\"speaker\":\"S1\"";
  utterance.record.audio_filepath = "key.wav";
  utterance.record.duration_seconds = 1;
  utterance.packed.bytes = testing::random_bytes(1000);
  utterance.packed.audio_offset = 512;
  for (unsigned flags = 0; flags < 8; ++flags) {
    utterance.has_text = (flags & 1) != 0;
    utterance.text_cleaned = (flags & 2) != 0;
    utterance.reencoded = (flags & 4) != 0;
    base::BinaryWriter out;
    put(out, utterance);
    EXPECT_EQ(out.bytes().size(), serialised_bytes(utterance));
    base::BinaryReader in(out.bytes());
    const Utterance read = read_utterance(in);
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(read.dataset, 3U);
    EXPECT_EQ(read.record.key, "key");
    EXPECT_EQ(read.record.text, "was gesagt wird");
    EXPECT_EQ(read.record.facts, utterance.record.facts);
    EXPECT_EQ(read.record.audio.frames, 16'000U);
    EXPECT_EQ(read.has_text, utterance.has_text);
    EXPECT_EQ(read.text_cleaned, utterance.text_cleaned);
    EXPECT_EQ(read.reencoded, utterance.reencoded);
    EXPECT_EQ(read.packed.audio_name, "key.wav");
    EXPECT_EQ(read.packed.audio_offset, 512U);
    EXPECT_EQ(read.packed.bytes, utterance.packed.bytes);
  }
}

TEST(UtteranceBytes, SeveralFollowEachOther) {
  base::BinaryWriter out;
  for (const char* key : {"a", "b"}) put(out, made_utterance(key));
  base::BinaryReader in(out.bytes());
  EXPECT_EQ(read_utterance(in).record.key, "a");
  EXPECT_EQ(read_utterance(in).record.key, "b");
  EXPECT_TRUE(in.at_end());
}

TEST(UtteranceBytes, ThatAreCutAreAnError) {
  base::BinaryWriter out;
  put(out, made_utterance("key"));
  for (std::size_t size = 0; size < out.bytes().size(); size += 7) {
    base::BinaryReader in(std::span(out.bytes()).first(size));
    EXPECT_THROW(read_utterance(in), Error) << size;
  }
}

}  // namespace
namespace {

LengthMatch match(double seconds, double audio_seconds) {
  const AudioInfo info{.format = "wav/pcm16",
                       .sample_rate = 16000,
                       .channels = 1,
                       .frames = static_cast<std::uint64_t>(audio_seconds * 16000)};
  return match_length(seconds, info);
}

TEST(StatedLength, RoundedDurationsAreTheSameAsTheAudio) {
  for (const double seconds : {3.1234, 3.123, 3.12, 3.1, 3.2})
    EXPECT_EQ(match(seconds, 3.1234), LengthMatch::same) << seconds;
  EXPECT_EQ(match(3, 3.1234), LengthMatch::audio_is_longer);
  EXPECT_EQ(match(4, 3.1234), LengthMatch::audio_is_shorter);
  EXPECT_EQ(match(0.5, 0.65), LengthMatch::audio_is_longer);
  EXPECT_EQ(match(1000, 1004.5), LengthMatch::same);
  EXPECT_EQ(match(1000, 1006), LengthMatch::audio_is_longer);
}

TEST(StatedLength, CutsToTheFrame) {
  const std::string wav = testing::made_wav(16000);
  const auto bytes = base::as_bytes(wav);
  Member audio{.name = "a.flac", .extension = "flac", .bytes = Bytes(bytes.begin(), bytes.end())};
  AudioInfo info = audio::probe(audio.bytes).info;
  cut_to_length(audio, info, 0.25);
  EXPECT_EQ(info.frames, 4000U);
  EXPECT_EQ(audio.extension, "wav");
  EXPECT_EQ(audio::probe(audio.bytes).info.frames, 4000U);
  EXPECT_EQ(testing::text_of(audio.bytes).substr(44), std::string_view(wav).substr(44, 8000));
}

TEST(StatedLength, ThePlaceComesBeforeTheOtherFacts) {
  EXPECT_EQ(facts_with_place(0, 1.5, R"("lang":"en")"), R"("source_begin":0.0,"source_end":1.5,"lang":"en")");
}

}  // namespace
}  // namespace shardmill::pipeline
