#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

#include "codec/formats.hpp"
#include "codec/pool.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kSliceBytes = std::size_t{256} << 10;

/// A slice of the file, compressed and then plain. The thread that has the decoder fills it once; then its
/// reader owns it.
struct Slot {
  Slice slice;
  std::uint64_t index = 0;
  std::size_t used = 0;  // the part of the slice that has been decoded
  PlainBufferPool::Pointer plain;
  std::size_t plain_bytes = 0;
  bool begun = false;  // has been filled at least once
  bool fresh = false;  // has been filled, and not been read since
  Window window{};     // of the decoder after the slice
  std::uint64_t unchecked_bytes = 0;
  std::optional<Error> warning;
  std::exception_ptr failure;          // to be thrown after the plain bytes
  std::atomic<bool> complete = false;  // true after the last fill
};

/// The decoder that all pieces of a file share, and the next slot in order.
class Chain {
 public:
  Chain(std::string path, MultiStreamDecoder decoder, TrailingSink on_trailing)
      : path_(std::move(path)), decoder_(std::move(decoder)), on_trailing_(std::move(on_trailing)) {}

  /// Decodes this slot if it is the next in order, and the slots that wait after it, unless another thread is
  /// decoding.
  void offer(std::shared_ptr<Slot> slot);
  /// Decodes until the slot has something to read, unless it is complete.
  void refill(Slot& slot);
  std::uint64_t streams() {
    const std::lock_guard lock(decoding_);
    return decoder_.streams();
  }
  void warn(const Error& warning) const { on_trailing_(warning); }

 private:
  std::shared_ptr<Slot> take_offered();
  void fill(Slot& slot) noexcept;
  void decode_into(Slot& slot);

  const std::string path_;
  std::mutex decoding_;  // guards the next four, and the next slot in order
  std::uint64_t turn_ = 0;
  MultiStreamDecoder decoder_;
  bool failed_ = false;
  bool warned_ = false;
  std::shared_ptr<PlainBufferPool> buffers_ = PlainBufferPool::common();
  const TrailingSink on_trailing_;

  std::mutex offering_;
  std::deque<std::shared_ptr<Slot>> offered_;
};

void Chain::offer(std::shared_ptr<Slot> slot) {
  {
    const std::lock_guard lock(offering_);
    offered_.push_back(std::move(slot));
  }
  const std::unique_lock lock(decoding_, std::try_to_lock);
  if (!lock) return;
  while (const auto next = take_offered()) fill(*next);
}

/// The next slot in order, if it was offered. Drops slots that are complete.
std::shared_ptr<Slot> Chain::take_offered() {
  const std::lock_guard lock(offering_);
  std::erase_if(offered_, [&](const auto& slot) { return slot->index < turn_; });
  const auto next = std::find_if(offered_.begin(), offered_.end(),
                                 [&](const auto& slot) { return slot->index == turn_ && !slot->begun; });
  return next == offered_.end() ? nullptr : *next;
}

void Chain::refill(Slot& slot) {
  const std::lock_guard lock(decoding_);
  if (!slot.complete && !slot.fresh) fill(slot);
}

void Chain::fill(Slot& slot) noexcept {
  slot.begun = slot.fresh = true;
  try {
    decode_into(slot);
  } catch (...) {
    slot.failure = std::current_exception();
  }
  const bool buffer_full = slot.plain && slot.plain_bytes == slot.plain->bytes.size();
  if (slot.failure) failed_ = true;
  if (slot.failure || !buffer_full) {
    ++turn_;
    if (failed_ || slot.slice.last) decoder_.release();
    slot.window = decoder_.window();
    if (!failed_) slot.unchecked_bytes = decoder_.open_bytes();
    slot.complete.store(true, std::memory_order_release);
  }
}

void Chain::decode_into(Slot& slot) {
  slot.plain_bytes = 0;
  if (failed_) return;
  if (!slot.plain) slot.plain = buffers_->take();
  const std::span<const std::byte> rest = std::span(slot.slice.bytes).subspan(slot.used);
  const Progress progress = decoder_.decode(rest, slot.plain->bytes, slot.slice.last);
  slot.used += progress.consumed;
  slot.plain_bytes = progress.produced;
  if (const auto offset = decoder_.garbage_offset(); offset && !std::exchange(warned_, true)) {
    if (on_trailing_) {
      slot.warning = trailing_ignored(path_, *offset);
    } else {
      slot.failure = std::make_exception_ptr(trailing_damage(path_, *offset));
    }
  }
  if (!progress.problem.empty()) {
    const Where where{.path = path_, .offset = slot.slice.offset + slot.used};
    slot.unchecked_bytes = doubtful_bytes(progress.problem, decoder_.stream_bytes());
    slot.failure = std::make_exception_ptr(
        Error(with_doubt(progress.problem, decoder_.stream_bytes()), where, progress.advice));
  }
}

class ChainedPiece final : public Piece {
 public:
  ChainedPiece(std::shared_ptr<Chain> chain, std::shared_ptr<Slot> slot)
      : chain_(std::move(chain)), slot_(std::move(slot)), compressed_bytes_(slot_->slice.bytes.size()) {}

  void prepare() noexcept override {
    try {
      chain_->offer(slot_);
    } catch (...) {  // out of memory: read() will do the work
    }
  }

  std::span<const std::byte> read() override {
    while (slot_) {
      if (!slot_->complete.load(std::memory_order_acquire)) chain_->refill(*slot_);
      if (std::exchange(slot_->fresh, false)) {
        if (slot_->warning) chain_->warn(*slot_->warning);
        if (slot_->plain_bytes > 0) return std::span(slot_->plain->bytes).first(slot_->plain_bytes);
      } else if (slot_->complete) {
        const auto done = std::exchange(slot_, nullptr);
        window_ = done->window;
        unchecked_bytes_ = done->unchecked_bytes;
        if (done->failure) std::rethrow_exception(done->failure);
      }
    }
    return {};
  }

  std::uint64_t compressed_bytes() const override { return compressed_bytes_; }
  std::size_t memory_bytes() const override { return kSliceBytes + sizeof(PlainBuffer); }
  Window window() const override { return window_; }
  std::uint64_t unchecked_bytes() const override { return unchecked_bytes_; }

 private:
  std::shared_ptr<Chain> chain_;
  std::shared_ptr<Slot> slot_;  // null when it has been read to its end
  Window window_{};
  std::uint64_t unchecked_bytes_ = 0;
  std::uint64_t compressed_bytes_;
};

class ChainedReader final : public PieceReader {
 public:
  ChainedReader(Input input, MultiStreamDecoder decoder, TrailingSink on_trailing, std::uint64_t offset)
      : chain_(std::make_shared<Chain>(input.path(), std::move(decoder), std::move(on_trailing))),
        slicer_(std::move(input), kSliceBytes, offset) {}

  std::unique_ptr<Piece> next() override {
    auto slot = std::make_shared<Slot>();
    if (!slicer_.next(slot->slice)) return nullptr;
    slot->index = pieces_++;
    return std::make_unique<ChainedPiece>(chain_, std::move(slot));
  }

  std::uint64_t streams() const override { return chain_->streams(); }

 private:
  std::shared_ptr<Chain> chain_;
  Slicer slicer_;
  std::uint64_t pieces_ = 0;
};

}  // namespace

std::unique_ptr<PieceReader> make_chained_reader(Input input, std::unique_ptr<StreamDecoder> decoder,
                                                 TrailingSink on_trailing, std::uint64_t offset,
                                                 std::uint64_t streams) {
  return std::make_unique<ChainedReader>(std::move(input),
                                         MultiStreamDecoder(std::move(decoder), offset, streams),
                                         std::move(on_trailing), offset);
}

}  // namespace shardmill::codec
