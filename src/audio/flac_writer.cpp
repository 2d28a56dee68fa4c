#include <FLAC/stream_encoder.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "audio/flac.hpp"
#include "base/error.hpp"
#include "base/text/units.hpp"

namespace shardmill::audio {

namespace {

constexpr std::uint32_t kLevel = 5;
constexpr std::size_t kFlacBlockFrames = 4096;

struct Output {
  Bytes bytes;
  std::size_t position = 0;
};

// libFLAC seeks only once, at the end, to write the sizes and the MD5 into the header.
FLAC__StreamEncoderWriteStatus write(const FLAC__StreamEncoder*, const FLAC__byte* buffer, std::size_t size,
                                     std::uint32_t, std::uint32_t, void* user) {
  auto& out = *static_cast<Output*>(user);
  try {
    if (out.position + size > out.bytes.size()) out.bytes.resize(out.position + size);
  } catch (const std::bad_alloc&) {
    return FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR;
  }
  std::memcpy(out.bytes.data() + out.position, buffer, size);
  out.position += size;
  return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

FLAC__StreamEncoderSeekStatus seek(const FLAC__StreamEncoder*, FLAC__uint64 offset, void* user) {
  static_cast<Output*>(user)->position = static_cast<std::size_t>(offset);
  return FLAC__STREAM_ENCODER_SEEK_STATUS_OK;
}

FLAC__StreamEncoderTellStatus tell(const FLAC__StreamEncoder*, FLAC__uint64* offset, void* user) {
  *offset = static_cast<const Output*>(user)->position;
  return FLAC__STREAM_ENCODER_TELL_STATUS_OK;
}

struct EncoderDeleter {
  void operator()(FLAC__StreamEncoder* encoder) const { FLAC__stream_encoder_delete(encoder); }
};
using Encoder = std::unique_ptr<FLAC__StreamEncoder, EncoderDeleter>;

void check_holdable(const Pcm& pcm) {
  if (is_float(pcm.encoding) || pcm.encoding == PcmEncoding::pcm32) {
    throw Error(fmt::format("a FLAC does not hold {}", name(pcm.encoding)));
  }
  if (pcm.channels > FLAC__MAX_CHANNELS) {
    throw Error(fmt::format("it has {} channels, a FLAC has {} at most", pcm.channels, FLAC__MAX_CHANNELS));
  }
  if (!FLAC__format_sample_rate_is_valid(pcm.sample_rate)) {
    throw Error(fmt::format("a FLAC cannot have {} Hz", pcm.sample_rate));
  }
}

Encoder make_encoder(const Pcm& pcm, Output& out) {
  Encoder encoder(FLAC__stream_encoder_new());
  if (!encoder) throw std::bad_alloc();
  FLAC__StreamEncoder* const raw = encoder.get();
  const auto bits = static_cast<std::uint32_t>(8 * value_bytes(pcm.encoding));
  const bool set =
      FLAC__stream_encoder_set_compression_level(raw, kLevel) &&
      FLAC__stream_encoder_set_channels(raw, pcm.channels) &&
      FLAC__stream_encoder_set_bits_per_sample(raw, bits) &&
      FLAC__stream_encoder_set_sample_rate(raw, pcm.sample_rate) &&
      FLAC__stream_encoder_set_total_samples_estimate(raw, pcm.frames()) &&
      FLAC__stream_encoder_set_streamable_subset(raw, FLAC__format_sample_rate_is_subset(pcm.sample_rate));
  if (!set || FLAC__stream_encoder_init_stream(raw, write, seek, tell, nullptr, &out) !=
                  FLAC__STREAM_ENCODER_INIT_STATUS_OK) {
    throw Error(fmt::format("libFLAC does not encode {} of {} at {} Hz",
                            base::format_count(pcm.channels, "channel"), name(pcm.encoding),
                            pcm.sample_rate));
  }
  return encoder;
}

/// Converts the values to the integers that libFLAC takes.
void unpack(std::span<const std::byte> data, PcmEncoding encoding, std::vector<FLAC__int32>& out) {
  const std::size_t size = value_bytes(encoding);
  out.resize(data.size() / size);
  if (encoding == PcmEncoding::pcm16) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::int16_t value = 0;
      std::memcpy(&value, data.data() + 2 * i, 2);
      out[i] = value;
    }
  } else if (encoding == PcmEncoding::pcm8) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::to_integer<int>(data[i]) - 128;
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, data.data() + 3 * i, 3);
      out[i] = static_cast<std::int32_t>(bits << 8) >> 8;
    }
  }
}

}  // namespace

Bytes encode_flac(const Pcm& pcm) {
  check_holdable(pcm);
  Output out;
  out.bytes.reserve(pcm.data.size() * 3 / 4 + 4096);
  const Encoder encoder = make_encoder(pcm, out);
  std::vector<FLAC__int32> block;
  const std::size_t block_bytes = kFlacBlockFrames * pcm.frame_bytes();
  bool good = true;
  for (std::size_t begin = 0; begin < pcm.data.size() && good; begin += block_bytes) {
    const auto rest = std::span<const std::byte>(pcm.data).subspan(begin);
    unpack(rest.first(std::min(block_bytes, rest.size())), pcm.encoding, block);
    good = FLAC__stream_encoder_process_interleaved(encoder.get(), block.data(),
                                                    static_cast<std::uint32_t>(block.size() / pcm.channels));
  }
  if (!FLAC__stream_encoder_finish(encoder.get()) || !good) {
    throw Error(fmt::format("libFLAC cannot encode it: {}",
                            FLAC__stream_encoder_get_resolved_state_string(encoder.get())));
  }
  return std::move(out.bytes);
}

std::string libflac_version() {
  return FLAC__VERSION_STRING;
}

}  // namespace shardmill::audio
