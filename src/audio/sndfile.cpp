#include "shardmill/audio/sndfile.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace shardmill::audio {
namespace {

struct Memory {
  std::span<const std::byte> bytes;
  sf_count_t position = 0;
};

sf_count_t length(void* user) {
  return static_cast<sf_count_t>(static_cast<const Memory*>(user)->bytes.size());
}

sf_count_t seek(sf_count_t offset, int whence, void* user) {
  auto& memory = *static_cast<Memory*>(user);
  sf_count_t target = 0;
  const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory.position : length(user);
  if (__builtin_add_overflow(from, offset, &target) || target < 0) return -1;
  memory.position = std::min(target, length(user));
  return memory.position;
}

sf_count_t read(void* out, sf_count_t count, void* user) {
  auto& memory = *static_cast<Memory*>(user);
  const sf_count_t taken = std::clamp<sf_count_t>(count, 0, length(user) - memory.position);
  if (taken == 0) return 0;
  std::memcpy(out, memory.bytes.data() + memory.position, static_cast<std::size_t>(taken));
  memory.position += taken;
  return taken;
}

sf_count_t write(const void*, sf_count_t, void*) {
  return 0;
}

sf_count_t tell(void* user) {
  return static_cast<const Memory*>(user)->position;
}

struct Closer {
  // Closing what was only read cannot lose anything.
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using Handle = std::unique_ptr<SNDFILE, Closer>;

Handle open(Memory& memory, SF_INFO& info) {
  static constexpr SF_VIRTUAL_IO kIo{length, seek, read, write, tell};
  SF_VIRTUAL_IO io = kIo;
  return Handle(sf_open_virtual(&io, SFM_READ, &info, &memory));
}

std::string container_name(int format) {
  switch (format & SF_FORMAT_TYPEMASK) {
    case SF_FORMAT_WAV:
    case SF_FORMAT_WAVEX:
    case SF_FORMAT_RF64:
      return "wav";
    case SF_FORMAT_W64:
      return "w64";
    case SF_FORMAT_FLAC:
      return "flac";
    case SF_FORMAT_OGG:
      return "ogg";
    case SF_FORMAT_NIST:
      return "sph";
    case SF_FORMAT_AIFF:
      return "aiff";
    case SF_FORMAT_AU:
      return "au";
    case SF_FORMAT_CAF:
      return "caf";
    default:
      return {};
  }
}

std::string encoding_name(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
      return "pcm8";
    case SF_FORMAT_PCM_16:
      return "pcm16";
    case SF_FORMAT_PCM_24:
      return "pcm24";
    case SF_FORMAT_PCM_32:
      return "pcm32";
    case SF_FORMAT_FLOAT:
      return "float32";
    case SF_FORMAT_DOUBLE:
      return "float64";
    case SF_FORMAT_ULAW:
      return "ulaw";
    case SF_FORMAT_ALAW:
      return "alaw";
    case SF_FORMAT_IMA_ADPCM:
      return "ima_adpcm";
    case SF_FORMAT_MS_ADPCM:
      return "ms_adpcm";
    case SF_FORMAT_GSM610:
      return "gsm610";
    case SF_FORMAT_VORBIS:
      return "vorbis";
    case SF_FORMAT_OPUS:
      return "opus";
    case SF_FORMAT_ALAC_16:
    case SF_FORMAT_ALAC_20:
    case SF_FORMAT_ALAC_24:
    case SF_FORMAT_ALAC_32:
      return "alac";
    case SF_FORMAT_MPEG_LAYER_III:
      return "mp3";
    default:
      return "other";
  }
}

template <typename Value>
DecodedAudio decode_all(SNDFILE* file, int channels,
                        sf_count_t (*read_frames)(SNDFILE*, Value*, sf_count_t)) {
  constexpr sf_count_t kChunkFrames = 4096;
  std::vector<Value> chunk(static_cast<std::size_t>(kChunkFrames * channels));
  DecodedAudio decoded;
  for (;;) {
    const sf_count_t got = read_frames(file, chunk.data(), kChunkFrames);
    if (got <= 0) break;
    decoded.frames += static_cast<std::uint64_t>(got);
    const auto values = std::span(chunk).first(static_cast<std::size_t>(got * channels));
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
  Memory memory{audio};
  SF_INFO info{};
  const Handle file = open(memory, info);
  const std::string container = container_name(info.format);
  if (!file || container.empty() || info.frames < 0 || info.frames == SF_COUNT_MAX) return std::nullopt;
  return AudioInfo{.format = container + "/" + encoding_name(info.format),
                   .sample_rate = static_cast<std::uint32_t>(std::max(info.samplerate, 0)),
                   .channels = static_cast<std::uint32_t>(std::max(info.channels, 0)),
                   .frames = static_cast<std::uint64_t>(info.frames)};
}

std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio) {
  const auto decoded = sndfile_decode(audio);
  return decoded ? std::optional(decoded->frames) : std::nullopt;
}

std::optional<DecodedAudio> sndfile_decode(std::span<const std::byte> audio) {
  Memory memory{audio};
  SF_INFO info{};
  const Handle file = open(memory, info);
  if (!file || info.channels <= 0) return std::nullopt;
  switch (info.format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE:
    case SF_FORMAT_VORBIS:
    case SF_FORMAT_OPUS:
    case SF_FORMAT_MPEG_LAYER_III:
      return decode_all(file.get(), info.channels, sf_readf_float);
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_PCM_32:
      return decode_all(file.get(), info.channels, sf_readf_int);
    default:
      return decode_all(file.get(), info.channels, sf_readf_short);
  }
}

}  // namespace shardmill::audio
