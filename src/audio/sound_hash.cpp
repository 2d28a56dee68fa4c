#include "audio/sound_hash.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "audio/pcm/decoder.hpp"
#include "audio/pcm/pcm.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

namespace {

// Values of a block fit into the cache.
constexpr std::uint64_t kHashedFrames = 8192;
constexpr std::uint64_t kFramesAtOnce = 64 * kHashedFrames;

/// The hashes of blocks of a fixed length, one after the other, are hashed instead of all values.
class SoundHash {
 public:
  explicit SoundHash(const Pcm& form) {
    const std::array<std::uint64_t, 2> numbers{form.sample_rate, form.channels};
    const auto bytes = std::as_bytes(std::span(numbers));
    all_.assign(bytes.begin(), bytes.end());
  }

  /// Takes whole blocks; only the last one may be shorter.
  void add(const Pcm& pcm) {
    const std::size_t block_bytes = kHashedFrames * pcm.frame_bytes();
    for (std::span<const std::byte> rest(pcm.data); !rest.empty();) {
      const auto block = rest.first(std::min(block_bytes, rest.size()));
      rest = rest.subspan(block.size());
      read_values(block, pcm.encoding, values_);
      for (double& value : values_) value += 0.0;  // a float's -0 is 0
      const base::Xxh128 hash = base::xxh3_128(std::as_bytes(std::span<const double>(values_)));
      all_.insert(all_.end(), hash.bytes.begin(), hash.bytes.end());
      is_empty_ = false;
    }
  }

  std::optional<base::Xxh128> digest() const {
    return is_empty_ ? std::nullopt : std::optional(base::xxh3_128(all_));
  }

 private:
  std::vector<std::byte> all_;
  std::vector<double> values_;
  bool is_empty_ = true;
};

}  // namespace

std::optional<base::Xxh128> sound_hash(std::span<const std::byte> audio) {
  try {
    PcmDecoder decoder(audio);
    Pcm pcm = decoder.empty_pcm();
    SoundHash hash(pcm);
    for (;;) {
      pcm.data.clear();
      decoder.read(kFramesAtOnce, pcm);
      if (pcm.data.empty()) return hash.digest();
      hash.add(pcm);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<base::Xxh128> sound_hash(const Pcm& pcm) {
  SoundHash hash(pcm);
  hash.add(pcm);
  return hash.digest();
}

}  // namespace shardmill::audio
