#include "codec/bzip2/cutter.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "codec/bzip2/block_header.hpp"

namespace shardmill::codec {

void Bzip2Chunk::load() {
  is_begun_ = true;
  std::call_once(loaded_, [this] {
    if (file_ != nullptr) {
      buffer_ = buffers_.take();
      const auto wanted = std::span(buffer_->bytes).first(static_cast<std::size_t>(promised_end_ - offset_));
      bytes_ = file_->read_at(wanted, offset_);
    }
    find_blocks();
  });
}

void Bzip2Chunk::find_blocks() {
  // A magic that fills the overlap belongs to the chunk before.
  std::uint64_t from_bit = overlap_ == kBzip2ChunkOverlap ? 1 : 0;
  while (const auto found = find_bzip2_block(bytes(), from_bit)) {
    blocks_.push_back(offset_ * 8 + *found);
    from_bit = *found + 1;
  }
}

namespace {

// The bytes that are read and searched ahead of the segments: more than two of the largest blocks of real
// files, which one thread decodes side by side.
constexpr std::uint64_t kAheadBytes = std::uint64_t{5} << 19;

}  // namespace

std::span<const std::byte> Bzip2Segment::bytes() const {
  std::call_once(joined_, [this] {
    bytes_.reserve(size_);
    for (const auto& chunk : chunks_) {
      const std::uint64_t begin = first_byte + bytes_.size() - chunk->offset();
      const auto part = chunk->bytes().subspan(static_cast<std::size_t>(begin));
      const auto some = part.first(std::min(part.size(), size_ - bytes_.size()));
      bytes_.insert(bytes_.end(), some.begin(), some.end());
    }
    chunks_.clear();
  });
  return bytes_;
}

Bzip2Cutter::Bzip2Cutter(Input input, std::uint64_t begin_bit, bool begins_block)
    : input_(std::move(input)),
      is_regular_(input_.file().is_regular()),
      file_end_(is_regular_ ? input_.file().size() : std::numeric_limits<std::uint64_t>::max()),
      next_offset_(begin_bit / 8),
      begin_bit_(begin_bit),
      begins_block_(begins_block) {}

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

void Bzip2Cutter::load_ahead() {
  std::vector<std::shared_ptr<Bzip2Chunk>> chunks;
  {
    const std::lock_guard lock(mutex_);
    if (!is_regular_) return;  // a pipe is read in order
    while (next_offset_ < begin_bit_ / 8 + kAheadBytes && open_chunk()) continue;
    chunks.assign(chunks_.begin(), chunks_.end());
  }
  for (const auto& chunk : chunks) {
    if (!chunk->is_begun()) chunk->load();
  }
}

std::shared_ptr<const Bzip2Segment> Bzip2Cutter::cut() {
  if (newest_ && newest_->last) return nullptr;
  const auto [end_bit, block_follows] = find_end();
  const std::uint64_t first_byte = begin_bit_ / 8;
  const std::uint64_t wanted = (end_bit + 7) / 8 + Bzip2Segment::kOverlapBytes;

  auto segment = std::make_shared<Bzip2Segment>();
  std::uint64_t covered = first_byte;
  for (std::size_t i = 0; covered < wanted; ++i) {
    const Bzip2Chunk* const here = chunk(i);
    if (here == nullptr) break;
    segment->chunks_.push_back(chunks_[i]);
    covered = here->end();
  }
  segment->size_ = static_cast<std::size_t>(std::min(wanted, covered) - first_byte);
  segment->first_byte = first_byte;
  segment->last = end_bit == file_end_ * 8;
  segment->whole_bytes = end_bit / 8 - first_byte;
  if (begins_block_) segment->block_bit = begin_bit_;
  segment->end_bit = end_bit;

  begins_block_ = block_follows;
  begin_bit_ = end_bit;
  while (!chunks_.empty() && chunks_.front()->promised_end() <= begin_bit_ / 8) chunks_.pop_front();
  if (newest_) newest_->next_ = segment;
  newest_ = segment;
  return segment;
}

/// Finds the end of the segment that begins at begin_bit_.
Bzip2Cutter::End Bzip2Cutter::find_end() {
  const std::uint64_t limit = (begin_bit_ / 8 + kBzip2MaxPackedBytes) * 8;
  const std::uint64_t from_bit = begin_bit_ + (begins_block_ ? 1 : 0);
  for (std::size_t i = 0;; ++i) {
    const Bzip2Chunk* const here = chunk(i);
    if (here == nullptr) return {.bit = std::min(limit, file_end_ * 8), .is_block = false};
    const auto found = std::ranges::lower_bound(here->blocks(), from_bit);
    if (found != here->blocks().end()) return {.bit = std::min(*found, limit), .is_block = *found <= limit};
    if (here->end() * 8 >= limit + kBzip2MagicBits) return {.bit = limit, .is_block = false};
  }
}

/// Returns the chunk with begin_bit_, or one after it; null after the end of the file.
const Bzip2Chunk* Bzip2Cutter::chunk(std::size_t index) {
  while (index >= chunks_.size()) {
    if (!open_chunk()) return nullptr;
  }
  Bzip2Chunk& found = *chunks_[index];
  found.load();
  if (found.end() < found.promised_end()) {  // the file has become shorter since it was opened
    chunks_.resize(index + 1);
    file_end_ = next_offset_ = index == 0 ? found.end() : std::max(found.end(), chunks_[index - 1]->end());
  }
  return &found;
}

/// False at the end of the file.
bool Bzip2Cutter::open_chunk() {
  if (next_offset_ >= file_end_) return false;
  const std::size_t overlap = chunks_.empty() ? 0 : kBzip2ChunkOverlap;
  constexpr std::size_t kOwnBytes = sizeof(Bzip2ChunkBuffer::bytes) - kBzip2ChunkOverlap;
  const std::uint64_t offset = next_offset_ - overlap;
  if (is_regular_) {
    next_offset_ += std::min<std::uint64_t>(kOwnBytes, file_end_ - next_offset_);
    chunks_.push_back(std::make_shared<Bzip2Chunk>(input_.file(), *buffers_, offset, next_offset_, overlap));
    return true;
  }
  auto buffer = buffers_->take();
  if (overlap > 0) std::ranges::copy(chunks_.back()->bytes().last(overlap), buffer->bytes.begin());
  const std::size_t got = input_.read(std::span(buffer->bytes).subspan(overlap, kOwnBytes));
  next_offset_ += got;
  if (got < kOwnBytes) file_end_ = next_offset_;
  if (got == 0) return false;
  chunks_.push_back(std::make_shared<Bzip2Chunk>(std::move(buffer), overlap + got, offset, overlap));
  return true;
}

}  // namespace shardmill::codec
