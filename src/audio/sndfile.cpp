#include "audio/sndfile.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "audio/probe.hpp"
#include "audio/sndfile_stream.hpp"
#include "base/system/machine.hpp"

namespace shardmill::audio {

namespace {

template <typename Value>
DecodedAudio decode_all(SNDFILE* file, std::uint32_t channels,
                        sf_count_t (*read_frames)(SNDFILE*, Value*, sf_count_t)) {
  constexpr sf_count_t kChunkFrames = 4096;
  std::vector<Value> chunk(static_cast<std::size_t>(kChunkFrames) * channels);
  DecodedAudio decoded;
  for (;;) {
    const sf_count_t got = read_frames(file, chunk.data(), kChunkFrames);
    if (got <= 0) break;
    decoded.frames += static_cast<std::uint64_t>(got);
    const auto values = std::span(chunk).first(static_cast<std::size_t>(got) * channels);
    decoded.silent =
        decoded.silent && std::all_of(values.begin(), values.end(), [](Value v) { return v == 0; });
    if constexpr (std::is_floating_point_v<Value>) {
      decoded.non_finite = decoded.non_finite || !std::all_of(values.begin(), values.end(),
                                                              [](Value v) { return std::isfinite(v); });
    }
  }
  if (sf_error(file) != SF_ERR_NO_ERROR) decoded.damage = sf_strerror(file);
  return decoded;
}

}  // namespace

std::optional<AudioInfo> sndfile_info(std::span<const std::byte> audio) {
  return SndfileStream(audio).info();
}

std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio) {
  const auto decoded = sndfile_decode(audio);
  return decoded ? std::optional(decoded->frames) : std::nullopt;
}

std::optional<DecodedAudio> sndfile_decode(std::span<const std::byte> audio) {
  const SndfileStream stream(audio);
  if (!stream.is_open() || stream.channels() == 0) return std::nullopt;
  auto* const file = static_cast<SNDFILE*>(stream.handle());
  switch (stream.format() & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE:
    case SF_FORMAT_VORBIS:
    case SF_FORMAT_OPUS:
    case kSndfileMpegLayer3:
      return decode_all(file, stream.channels(), sf_readf_float);
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_PCM_32:
      return decode_all(file, stream.channels(), sf_readf_int);
    default:
      return decode_all(file, stream.channels(), sf_readf_short);
  }
}

std::optional<FloatAudio> sndfile_floats(std::span<const std::byte> audio) {
  const SndfileStream stream(audio);
  if (!stream.is_open() || stream.channels() == 0) return std::nullopt;
  const auto info = stream.info();
  if (!info) return std::nullopt;
  auto* const file = static_cast<SNDFILE*>(stream.handle());
  FloatAudio sound{.sample_rate = info->sample_rate, .channels = stream.channels()};
  // The header may promise more than there is: memory grows with what comes.
  constexpr std::uint64_t kFirstFrames = std::uint64_t{1} << 22;
  std::uint64_t frames = 0;
  for (std::uint64_t room = std::min(info->frames, kFirstFrames) + 1;; room *= 2) {
    sound.values.resize((frames + room) * sound.channels);
    const sf_count_t got =
        sf_readf_float(file, sound.values.data() + frames * sound.channels, static_cast<sf_count_t>(room));
    frames += got > 0 ? static_cast<std::uint64_t>(got) : 0;
    if (got < static_cast<sf_count_t>(room)) break;
  }
  sound.values.resize(frames * sound.channels);
  if (sf_error(file) != SF_ERR_NO_ERROR) {
    sound.damage = sf_strerror(file);
  } else if (frames < info->frames) {
    sound.damage = "it ends early";
  }
  return sound;
}

void sndfile_read_floats(std::span<const std::byte> audio, std::uint64_t frames) {
  const SndfileStream stream(audio);
  if (!stream.is_open()) return;
  std::vector<float> values(frames * stream.channels());
  sf_readf_float(static_cast<SNDFILE*>(stream.handle()), values.data(), static_cast<sf_count_t>(frames));
}

bool sndfile_reads_mpeg() {
  int containers = 0;
  sf_command(nullptr, SFC_GET_FORMAT_MAJOR_COUNT, &containers, sizeof(containers));
  for (int i = 0; i < containers; ++i) {
    SF_FORMAT_INFO container{};
    container.format = i;
    sf_command(nullptr, SFC_GET_FORMAT_MAJOR, &container, sizeof(container));
    if (container.format == kSndfileMpeg) return true;
  }
  return false;
}

std::string libsndfile_version() {
  const std::string text = sf_version_string();  // "libsndfile-1.2.0"
  return text.substr(text.find('-') + 1);
}

double decoding_speed(std::span<const Bytes> audio) {
  struct Decodable {
    std::span<const std::byte> bytes;
    std::uint64_t frames = 0;
  };
  std::vector<Decodable> decodable;
  double seconds = 0;
  for (const Bytes& bytes : audio) {
    const ProbeResult probed = probe(bytes);
    if (!probed.usable()) continue;
    const auto decoded = sndfile_decode(bytes);
    if (!decoded) continue;
    decodable.push_back({.bytes = bytes, .frames = decoded->frames});
    seconds += probed.info.seconds();
  }
  if (decodable.empty()) return 0;
  return base::cpu_speed([&] {
    for (const Decodable& each : decodable) sndfile_read_floats(each.bytes, each.frames);
    return seconds;
  });
}

}  // namespace shardmill::audio
