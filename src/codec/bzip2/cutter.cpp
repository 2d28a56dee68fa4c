#include "codec/bzip2/cutter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/bzip2/scan.hpp"

namespace shardmill::codec {

namespace {

// Small enough to be in the nearest caches when it is scanned.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;
// Larger than the most that must be held at once, so that the rest rarely has to be moved to the front.
constexpr std::size_t kWindowBytes = kBzip2MaxPackedBytes + 4 * kReadBytes;
constexpr std::uint64_t kMagicBits = 48;

}  // namespace

Bzip2Cutter::Bzip2Cutter(Input input, std::uint64_t begin_bit, bool begins_block)
    : input_(std::move(input)),
      window_offset_(begin_bit / 8),
      begin_bit_(begin_bit),
      begins_block_(begins_block),
      scanned_bit_(begin_bit) {
  if (window_offset_ > 0) input_.jump(window_offset_);
}

std::shared_ptr<const Bzip2Segment> Bzip2Cutter::next() {
  const std::lock_guard lock(mutex_);
  if (ahead_.empty()) return cut();
  auto segment = std::move(ahead_.front());
  ahead_.pop_front();
  return segment;
}

std::shared_ptr<const Bzip2Segment> Bzip2Cutter::after(const Bzip2Segment& segment) {
  const std::lock_guard lock(mutex_);
  if (segment.last) return nullptr;
  if (auto known = segment.next_.lock()) return known;
  ahead_.push_back(cut());
  return ahead_.back();
}

std::shared_ptr<const Bzip2Segment> Bzip2Cutter::cut() {
  if (newest_ && newest_->last) return nullptr;
  const auto [end_bit, block_follows] = find_end();
  const std::uint64_t first_byte = begin_bit_ / 8;
  const std::uint64_t behind = std::min((end_bit + 7) / 8 + Bzip2Segment::kOverlapBytes, window_end());
  const std::byte* const bytes = window_.get() + window_begin_ + (first_byte - window_offset_);

  auto segment = std::make_shared<Bzip2Segment>();
  segment->bytes.assign(bytes, bytes + (behind - first_byte));
  segment->first_byte = first_byte;
  segment->last = all_read_ && end_bit == window_end() * 8;
  segment->whole_bytes = end_bit / 8 - first_byte;
  if (begins_block_) segment->block_bit = begin_bit_;
  segment->end_bit = end_bit;

  begins_block_ = block_follows;
  begin_bit_ = end_bit;
  if (newest_) newest_->next_ = segment;
  newest_ = segment;
  return segment;
}

/// Finds the end of the segment that begins at begin_bit_. Afterwards the window holds the segment and its
/// overlap.
Bzip2Cutter::End Bzip2Cutter::find_end() {
  const std::uint64_t limit = begin_bit_ / 8 + kBzip2MaxPackedBytes;
  if (begins_block_) scanned_bit_ = std::max(scanned_bit_, begin_bit_ + 1);
  for (;;) {
    const std::span<const std::byte> window(window_.get() + window_begin_, window_bytes_);
    const auto found = find_bzip2_block(window, scanned_bit_ - window_offset_ * 8);
    const std::uint64_t seen_bit = found ? *found + window_offset_ * 8 : window_end() * 8;
    scanned_bit_ = std::max(scanned_bit_, found ? seen_bit : seen_bit - std::min(seen_bit, kMagicBits - 1));
    const std::uint64_t wanted = std::min(limit, found ? seen_bit / 8 + 1 : limit);
    if (all_read_ || window_end() >= wanted + Bzip2Segment::kOverlapBytes) {
      return {.bit = std::min(seen_bit, limit * 8), .is_block = found && seen_bit <= limit * 8};
    }
    fill();
  }
}

/// Reads more, and drops what lies before begin_bit_.
void Bzip2Cutter::fill() {
  if (!window_) window_ = std::make_unique_for_overwrite<std::byte[]>(kWindowBytes);
  const auto dead = static_cast<std::size_t>(begin_bit_ / 8 - window_offset_);
  window_begin_ += dead;
  window_bytes_ -= dead;
  window_offset_ += dead;
  if (window_begin_ + window_bytes_ + kReadBytes > kWindowBytes) {
    std::memmove(window_.get(), window_.get() + window_begin_, window_bytes_);
    window_begin_ = 0;
  }
  const std::size_t got = input_.read(std::span(window_.get() + window_begin_ + window_bytes_, kReadBytes));
  window_bytes_ += got;
  all_read_ = got < kReadBytes;
}

}  // namespace shardmill::codec
