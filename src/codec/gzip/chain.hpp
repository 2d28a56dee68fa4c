// GzipChain: decodes the slices of one file in order, and joins what was decoded by guess.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/io/binary.hpp"
#include "codec/gzip/guess.hpp"
#include "codec/gzip/slices.hpp"

namespace shardmill::codec {

/// Plain bytes in a row, and what is known of them.
class GzipFill {
 public:
  /// Makes the bytes of a guess, if they are not made yet. Any thread; all wait until it is done.
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
  std::vector<std::uint8_t> window_;  // before the guess
  std::once_flag resolved_;
};

/// A slice on its way from compressed to plain.
class GzipSlot {
 public:
  explicit GzipSlot(std::unique_ptr<GzipSlice> slice) : slice_(std::move(slice)) {}

  std::uint64_t index() const noexcept { return slice_->index; }
  std::size_t own_bytes() const noexcept { return slice_->own_bytes; }
  bool is_last() const noexcept { return slice_->last; }

  /// The next that is ready, to be resolved; null when there is none.
  std::shared_ptr<GzipFill> take();
  /// No more will come.
  bool is_complete();

 private:
  friend class GzipChain;
  GzipInput input() const {
    return {.bytes = slice_->bytes(), .offset = slice_->offset, .last = slice_->last};
  }
  std::uint64_t stop_bit() const noexcept;
  void put(std::shared_ptr<GzipFill> fill);
  void complete();

  // Of the thread that prepares the slot; then, when the slot is offered, of the one whose turn it is.
  std::unique_ptr<GzipSlice> slice_;
  std::unique_ptr<GzipGuess> guess_;
  std::exception_ptr failure_;
  bool begun_ = false;
  std::vector<std::byte> start_;  // the place where it begins

  std::mutex mutex_;  // guards these
  std::deque<std::shared_ptr<GzipFill>> fills_;
  bool complete_ = false;
};

class GzipChain {
 public:
  explicit GzipChain(const GzipSizes& sizes) : sizes_(sizes) {}
  /// Goes on at a place that start() gave.
  GzipChain(base::BinaryReader& in, std::uint64_t index, const GzipSizes& sizes);

  /// Decodes the slot by guess, if it is not its turn; then all that wait and whose turn it is, if nobody
  /// else is at it. Any thread.
  void prepare(const std::shared_ptr<GzipSlot>& slot);
  /// Makes sure that there is something to take in the slot, or that it is complete. All before it are.
  void refill(GzipSlot& slot);
  /// Where the slot begins, for another chain. All before it are complete.
  std::vector<std::byte> start(GzipSlot& slot);
  /// Nothing more is to be decoded.
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
  const std::shared_ptr<GzipBufferPool> buffers_ = GzipBufferPool::make();
  std::atomic<std::uint64_t> turn_ = 0;
  std::atomic<int> misses_ = 0;  // guesses in a row that were no use

  std::mutex decoding_;  // guards these, and the slot whose turn it is
  std::unique_ptr<GzipDecoder> decoder_ = std::make_unique<GzipDecoder>();
  std::vector<std::uint8_t> window_;

  std::mutex offering_;
  std::deque<std::shared_ptr<GzipSlot>> offered_;
};

}  // namespace shardmill::codec
