// GzipGuess: a part of a gzip file that is decoded before the bytes in front of it are known. GzipChain:
// decodes the slices of one file in order, and joins slices that were decoded so.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/io/binary_fields.hpp"
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

/// Consecutive plain bytes, and the facts about them.
class GzipFill {
 public:
  /// Turns the symbols of a guess into bytes, if that is not done yet. Any thread may call it; all wait until
  /// it is done.
  void resolve();

  // After resolve(): the plain bytes are those of `first`, then those of `second`.
  std::span<const std::uint8_t> first;
  std::span<const std::uint8_t> second;
  std::uint32_t first_crc = 0;
  GzipOutput output;  // of `second`
  std::exception_ptr failure;

 private:
  friend class GzipChain;
  GzipBufferPool::Pointer buffer_;
  std::unique_ptr<GzipGuess> guess_;
  std::vector<std::uint8_t> window_;  // the bytes before the guess
  std::once_flag resolved_;
};

/// A slice on its way from compressed to plain.
class GzipSlot {
 public:
  explicit GzipSlot(std::unique_ptr<GzipSlice> slice) : slice_(std::move(slice)) {}

  std::uint64_t index() const noexcept { return slice_->index; }
  std::size_t own_bytes() const noexcept { return slice_->own_bytes; }
  bool is_last() const noexcept { return slice_->last; }

  /// The next fill, to be resolved; null if none is ready.
  std::shared_ptr<GzipFill> take();
  /// True if no more fills will come.
  bool is_complete();

 private:
  friend class GzipChain;
  GzipInput input() const {
    return {.bytes = slice_->bytes(), .offset = slice_->offset, .last = slice_->last};
  }
  std::uint64_t stop_bit() const noexcept;
  void put(std::shared_ptr<GzipFill> fill);
  void complete();

  // Used by the thread that prepares the slot; after the slot is offered, by the thread that decodes in
  // order.
  std::unique_ptr<GzipSlice> slice_;
  std::unique_ptr<GzipGuess> guess_;
  std::exception_ptr failure_;
  bool begun_ = false;
  std::vector<std::byte> start_;  // the restart point of the slot

  std::mutex mutex_;  // guards these
  std::deque<std::shared_ptr<GzipFill>> fills_;
  bool complete_ = false;
};

class GzipChain {
 public:
  explicit GzipChain(const GzipSizes& sizes) : sizes_(sizes) {}
  /// Continues at a place that start() returned.
  GzipChain(base::BinaryReader& in, std::uint64_t index, const GzipSizes& sizes);

  /// Decodes the slot speculatively unless it is the next in order. Then decodes every slot that has become
  /// the next, unless another thread is already doing so. Any thread.
  void prepare(const std::shared_ptr<GzipSlot>& slot);
  /// Waits until the slot has a fill or is complete. All slots before it must be complete.
  void refill(GzipSlot& slot);
  /// The start of the slot, for another chain. All slots before it must be complete.
  std::vector<std::byte> start(GzipSlot& slot);
  /// True if nothing more is to be decoded.
  void give_up();

 private:
  using Fills = std::vector<std::shared_ptr<GzipFill>>;

  void guess(GzipSlot& slot);
  std::shared_ptr<GzipSlot> take_offered();
  void note_start(GzipSlot& slot);
  void decode(GzipSlot& slot, Fills& to_resolve);
  bool step(GzipSlot& slot, Fills& to_resolve);
  GzipEnd decode_serially(GzipSlot& slot, GzipFill& fill);
  GzipEnd join_guess(GzipSlot& slot, GzipFill& fill);

  const GzipSizes sizes_;
  const std::shared_ptr<GzipBufferPool> buffers_ = GzipBufferPool::common();
  std::atomic<std::uint64_t> turn_ = 0;
  std::atomic<int> misses_ = 0;  // useless guesses since the last useful one

  std::mutex decoding_;  // guards these, and the next slot in order
  std::unique_ptr<GzipDecoder> decoder_ = std::make_unique<GzipDecoder>();
  std::vector<std::uint8_t> window_;

  std::mutex offering_;
  std::deque<std::shared_ptr<GzipSlot>> offered_;
};

}  // namespace shardmill::codec
