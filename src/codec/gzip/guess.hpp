// GzipGuess: a part of a gzip file that is decoded before the bytes in front of it are known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "codec/gzip/decoder.hpp"
#include "codec/gzip/deflate_decoder.hpp"
#include "codec/gzip/slices.hpp"
#include "codec/pool.hpp"

namespace shardmill::codec {

/// The plain bytes of a piece: room for symbols of 16 bits after a window of symbols, for bytes after a
/// window of bytes, or for both one after the other. Not cleared.
struct GzipBuffer {
  alignas(64) std::array<std::uint8_t, 4 * kDeflateWindowBytes + GzipSizes::kPlainBytes> bytes;
};

using GzipBufferPool = Pool<GzipBuffer>;

/// A bit that no file has.
inline constexpr std::uint64_t kGzipNowhere = std::numeric_limits<std::uint64_t>::max();

/// While a guess is decoded, the bytes of the window before it are unknown. Symbols represent them, numbered
/// from kFirstMarker in the order of the window. Once the last 32 KiB are known, the guess goes on with
/// bytes.
struct GzipGuess {
  static constexpr std::uint16_t kFirstMarker = 0x8000;

  std::uint64_t start_bit = 0;  // where a block seemed to begin
  bool begins_member = false;
  GzipBufferPool::Pointer buffer;
  std::span<std::uint16_t> symbols;      // the first ones
  std::span<const std::uint8_t> plain;   // the bytes after them
  GzipOutput output;                     // of `plain`
  std::unique_ptr<GzipDecoder> decoder;  // at the end of `plain`
  bool symbols_only = false;             // the size of its window depends on the bytes before the guess
  GzipEnd end = GzipEnd::input;

  /// Looks in `in` for the start of a block, and decodes from there to the first block at or after bit
  /// `stop_bit`, or until `plain_bytes` of memory are full. Returns null if no block was found that can be
  /// decoded.
  static std::unique_ptr<GzipGuess> make(const GzipInput& in, std::uint64_t stop_bit, std::size_t plain_bytes,
                                         GzipBufferPool& buffers);

  /// True if the guess can follow `window`, which may be short: if `window` has a byte for every symbol.
  bool fits(std::span<const std::uint8_t> window) const;
  /// The window at the end of all symbols and bytes; with it the decoder can go on.
  std::vector<std::uint8_t> join(std::span<const std::uint8_t> window);
  /// Turns the symbols into bytes, in place.
  std::span<const std::uint8_t> resolve(std::span<const std::uint8_t> window);
};

}  // namespace shardmill::codec
