// GzipGuess: a part of a gzip file, decoded before it is known what comes before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "codec/gzip/buffer.hpp"
#include "codec/gzip/decoder.hpp"

namespace shardmill::codec {

/// A bit that no file has.
inline constexpr std::uint64_t kGzipNowhere = std::numeric_limits<std::uint64_t>::max();

/// Bytes of the window before the guess are not known while it is decoded: symbols stand for them, from
/// kFirstMarker on in the order of the window. Once the last 32 KiB are known, it goes on with bytes.
struct GzipGuess {
  static constexpr std::uint16_t kFirstMarker = 0x8000;

  std::uint64_t start_bit = 0;  // where a block seemed to begin
  bool begins_member = false;
  GzipBufferPool::Pointer buffer;
  std::span<std::uint16_t> symbols;      // those that come first
  std::span<const std::uint8_t> plain;   // the bytes after them
  GzipOutput output;                     // of `plain`
  std::unique_ptr<GzipDecoder> decoder;  // at the end of all that
  bool symbols_only = false;             // how large its window is depends on what was before
  GzipEnd end = GzipEnd::input;

  /// Looks in `in` for a place where a block begins, and decodes from there to the first block at or after
  /// bit `stop_bit`, but no more than `plain_bytes` of memory take. Null when nothing was found, or nothing
  /// that can be decoded.
  static std::unique_ptr<GzipGuess> make(const GzipInput& in, std::uint64_t stop_bit, std::size_t plain_bytes,
                                         GzipBufferPool& buffers);

  /// Whether it is what follows this window, which may be short: whether that has all the symbols stand for.
  bool fits(std::span<const std::uint8_t> window) const;
  /// The window at the end of all symbols and bytes; with it the decoder can go on.
  std::vector<std::uint8_t> join(std::span<const std::uint8_t> window);
  /// Turns the symbols into bytes, in place.
  std::span<const std::uint8_t> resolve(std::span<const std::uint8_t> window);
};

}  // namespace shardmill::codec
