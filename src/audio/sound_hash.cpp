#include "audio/sound_hash.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "audio/pcm/decoder.hpp"
#include "audio/pcm/values.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

namespace {

constexpr std::uint64_t kFramesAtOnce = std::uint64_t{1} << 20;

/// Hashes of blocks of a fixed length, one after the other, stand for all values.
void append_hash(std::span<const double> values, std::vector<std::byte>& all) {
  const base::Xxh128 hash = base::xxh3_128(std::as_bytes(values));
  all.insert(all.end(), hash.bytes.begin(), hash.bytes.end());
}

}  // namespace

std::optional<base::Xxh128> sound_hash(std::span<const std::byte> audio) {
  try {
    PcmDecoder decoder(audio);
    Pcm pcm = decoder.empty_pcm();
    const std::array<std::uint64_t, 2> form{pcm.sample_rate, pcm.channels};
    const auto form_bytes = std::as_bytes(std::span(form));
    std::vector<std::byte> all(form_bytes.begin(), form_bytes.end());
    std::vector<double> values;
    bool is_empty = true;
    for (;;) {
      pcm.data.clear();
      decoder.read(kFramesAtOnce, pcm);
      if (pcm.data.empty()) break;
      is_empty = false;
      read_values(pcm.data, pcm.encoding, values);
      for (double& value : values) value += 0.0;  // a float's -0 is 0
      append_hash(values, all);
    }
    if (is_empty) return std::nullopt;
    return base::xxh3_128(all);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace shardmill::audio
