// FlacStream: libFLAC at work on one FLAC in memory, frame by frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "audio/sndfile.hpp"
#include "model/sample.hpp"

namespace shardmill::audio {

/// One decoded FLAC frame.
struct FlacBlock {
  std::span<const std::int32_t* const> channels;
  std::uint32_t frames = 0;  // of each channel
  std::uint32_t bits = 0;    // of a value
};

/// One thread at a time; many of them at once.
class FlacStream {
 public:
  /// Returns false when no more is wanted.
  using Sink = std::function<bool(const FlacBlock&)>;
  enum class Md5 { compared, left_to_the_caller };
  using Md5Digest = std::array<std::byte, 16>;

  /// `flac` begins with fLaC, or a tag in front of it, and must outlive the stream.
  FlacStream(std::span<const std::byte> flac, Md5 md5, Sink sink = {});
  ~FlacStream();

  /// Decodes what comes next; false when nothing more can be decoded.
  bool next();
  /// To be called once, after next() returned false.
  DecodedAudio finish();
  /// Of all values, as the header has it; nullopt where it has none.
  const std::optional<Md5Digest>& md5() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What is said of a FLAC whose MD5 is not that of its values.
inline constexpr const char* kWrongMd5 = "the MD5 of its values is not the one in its header";

/// Appends the values frame by frame, each as `value_bytes` little-endian bytes, `silence` added.
void append_interleaved(const FlacBlock& block, std::size_t value_bytes, std::uint32_t silence,
                        Bytes& values);

}  // namespace shardmill::audio
