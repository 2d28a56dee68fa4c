// FlacStream: decodes one FLAC in memory with libFLAC, frame by frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "audio/sndfile.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// One decoded FLAC frame.
struct FlacBlock {
  std::span<const std::int32_t* const> channels;
  std::uint32_t frames = 0;  // in each channel
  std::uint32_t bits = 0;    // in each value
};

/// One thread at a time; several streams may be used at the same time.
class FlacStream {
 public:
  /// Returns false to stop.
  using Sink = std::function<bool(const FlacBlock&)>;
  enum class Md5 { compared, left_to_the_caller };
  using Md5Digest = std::array<std::byte, 16>;

  /// `flac` starts with fLaC or with a tag before it, and must outlive the stream.
  FlacStream(std::span<const std::byte> flac, Md5 md5, Sink sink = {});
  ~FlacStream();

  /// Decodes the next frame; false if nothing more can be decoded.
  bool next();
  /// Call this once, after next() returned false.
  DecodedAudio finish();
  /// The MD5 of all values according to the header; nullopt if the header has none.
  const std::optional<Md5Digest>& md5() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The damage of a FLAC whose values have another MD5 than its header.
inline constexpr const char* kWrongMd5 = "the MD5 of its values is not the one in its header";

/// Appends the values of all channels, frame by frame. Each takes `value_bytes` little-endian bytes, and
/// `silence` is added to it.
void append_interleaved(const FlacBlock& block, std::size_t value_bytes, std::uint32_t silence,
                        Bytes& values);

}  // namespace shardmill::audio
