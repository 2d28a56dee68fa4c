#include "pipeline/stated_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "audio/recording_reader.hpp"
#include "audio/wav_writer.hpp"
#include "base/error.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/numbers.hpp"

namespace shardmill::pipeline {

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
