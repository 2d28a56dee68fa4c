#include "pipeline/utterance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "audio/recording_reader.hpp"
#include "audio/wav.hpp"
#include "base/error.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "pipeline/intake_options.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

std::string written_key(std::string_view dataset, std::string_view source_key, const IntakeOptions& options) {
  return shard::safe_key(options.prefixes_keys ? fmt::format("{}_{}", dataset, source_key)
                                               : std::string(source_key));
}

std::string channel_key(std::string_view key, std::uint32_t channel, std::uint32_t channels) {
  if (channels == 2) return fmt::format("{}_{}", key, channel == 0 ? "left" : "right");
  return fmt::format("{}_ch{}", key, channel + 1);
}

std::vector<std::string> part_keys(const std::string& key, std::uint32_t channels,
                                   const IntakeOptions& options) {
  if (!options.splits_channels || channels < 2) return {key};
  std::vector<std::string> keys;
  for (std::uint32_t channel = 0; channel < channels; ++channel)
    keys.push_back(channel_key(key, channel, channels));
  return keys;
}

std::vector<std::string> possible_keys(std::string_view key, const IntakeOptions& options) {
  std::vector<std::string> keys{std::string(key)};
  if (!options.splits_channels) return keys;
  constexpr std::uint32_t kMany = 3;  // the keys of more have the same form
  keys.push_back(channel_key(key, 0, 2));
  keys.push_back(channel_key(key, 1, 2));
  keys.push_back(channel_key(key, 0, kMany));
  return keys;
}

std::chrono::nanoseconds duration_of(const AudioInfo& audio) {
  constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
  const std::uint64_t rate = audio.sample_rate;
  // Whole seconds are computed separately, so that the product cannot overflow for recordings of any length.
  const std::uint64_t whole = audio.frames / rate * kNanosecondsPerSecond;
  return std::chrono::nanoseconds(whole + audio.frames % rate * kNanosecondsPerSecond / rate);
}

void rename(Utterance& utterance) {
  utterance.packed = shard::repack(utterance.packed, utterance.record.key);
  utterance.record.audio_filepath = utterance.packed.audio_name;
}

namespace {

constexpr std::uint64_t kHasText = 1;
constexpr std::uint64_t kTextCleaned = 2;
constexpr std::uint64_t kReencoded = 4;

std::uint64_t flags_of(const Utterance& utterance) {
  return (utterance.has_text ? kHasText : 0) | (utterance.text_cleaned ? kTextCleaned : 0) |
         (utterance.reencoded ? kReencoded : 0);
}

void put_head(base::BinaryWriter& out, const Utterance& utterance) {
  std::string line;
  append_line(line, utterance.record);
  out.put(utterance.dataset);
  out.put(line);
  out.put(utterance.record.facts);
  out.put(flags_of(utterance));
  out.put(utterance.packed.audio_name);
  out.put(utterance.packed.audio_offset);
}

}  // namespace

std::uint64_t serialised_bytes(const Utterance& utterance) {
  base::BinaryWriter head;
  put_head(head, utterance);
  return head.bytes().size() + sizeof(std::uint64_t) + utterance.packed.bytes.size();
}

void put(base::BinaryWriter& out, const Utterance& utterance) {
  put_head(out, utterance);
  out.put(std::span<const std::byte>(utterance.packed.bytes));
}

Utterance read_utterance(base::BinaryReader& in) {
  Utterance utterance;
  utterance.dataset = static_cast<std::uint32_t>(in.number());
  const std::string line = in.text();
  base::JsonParser parser;
  read_record(parser.parse(line), utterance.record);
  utterance.record.facts = in.text();
  const std::uint64_t flags = in.number();
  utterance.has_text = (flags & kHasText) != 0;
  utterance.text_cleaned = (flags & kTextCleaned) != 0;
  utterance.reencoded = (flags & kReencoded) != 0;
  utterance.packed.audio_name = in.text();
  utterance.packed.audio_offset = in.number();
  const auto packed = in.bytes();
  utterance.packed.bytes.assign(packed.begin(), packed.end());
  return utterance;
}

double length_tolerance(double seconds) {
  constexpr double kSeconds = 0.1;
  constexpr double kShare = 0.005;
  return std::max(kSeconds, kShare * seconds);
}

LengthMatch match_length(double seconds, const AudioInfo& info) {
  const double difference = info.seconds() - seconds;
  // A frame more, because decimal numbers are not exact.
  const double most = length_tolerance(seconds) + 1.0 / info.sample_rate;
  if (difference > most) return LengthMatch::audio_is_longer;
  return difference < -most ? LengthMatch::audio_is_shorter : LengthMatch::same;
}

std::string has_no_channel(std::uint64_t channel, std::uint64_t channels) {
  return fmt::format("is of channel {} (the first is 0), and its recording has {}", channel, channels);
}

std::string ends_after_recording(double seconds, double recording_seconds) {
  return fmt::format("ends at {} s, but its recording at {:.3f} s", seconds, recording_seconds);
}

std::string facts_with_place(double begin_seconds, double end_seconds, const std::string& facts) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("source_begin", begin_seconds);
  if (std::isfinite(end_seconds)) json.member("source_end", end_seconds);
  if (!facts.empty()) json.members(facts);
  json.end_object();
  return text.substr(1, text.size() - 2);
}

void cut_to_length(Member& audio, AudioInfo& info, double seconds) {
  const std::uint64_t frames = base::rounded_product(seconds, info.sample_rate);
  if (frames == 0) throw Error(fmt::format("holds no frame: from 0 s to {} s", seconds));
  audio::RecordingReader recording(std::move(audio.bytes), audio.name);
  const audio::Pcm pcm = recording.read(0, frames);
  audio.bytes = audio::encode_wav(pcm);
  audio.extension = "wav";
  info = {.format = fmt::format("wav/{}", audio::name(pcm.encoding)),
          .sample_rate = pcm.sample_rate,
          .channels = pcm.channels,
          .frames = pcm.frames()};
}

}  // namespace shardmill::pipeline
