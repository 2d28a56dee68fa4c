#include "shardmill/audio.hpp"

#include <utility>

#include "audio/sndfile.hpp"
#include "audio/wav_floats.hpp"
#include "base/error.hpp"

namespace shardmill {

DecodedSound decode_audio(std::span<const std::byte> audio) {
  auto sound = audio::wav_floats(audio);
  if (!sound) sound = audio::sndfile_floats(audio);
  if (!sound) throw Error("is not audio that can be decoded", {});
  if (!sound->damage.empty()) throw Error("is damaged: " + sound->damage, {});
  return {.sample_rate = sound->sample_rate, .channels = sound->channels, .values = std::move(sound->values)};
}

}  // namespace shardmill
