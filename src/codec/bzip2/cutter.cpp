#include "codec/bzip2/cutter.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2/block_header.hpp"
#include "codec/streams.hpp"

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

// The bytes of each open file that are read and searched ahead of the segments: two blocks of real files,
// which one thread decodes side by side.
constexpr std::uint64_t kAheadBytes = std::uint64_t{3} << 19;

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

namespace {

constexpr const char* kCopyAgain = "copy or make the file again";
constexpr std::string_view kStreamMagic = "BZh";

}  // namespace

void Bzip2Stream::save(base::BinaryWriter& out) const {
  out.put(static_cast<std::uint64_t>(expected_));
  out.put(position_);
  out.put(level_);
  out.put(crc_);
  out.put(crc_known_ ? 1 : 0);
  out.put(blocks_);
  out.put(streams_);
  out.put(garbage_offset_ ? *garbage_offset_ + 1 : 0);
}

void Bzip2Stream::restore(base::BinaryReader& in) {
  expected_ = static_cast<Expected>(in.number());
  position_ = in.number();
  level_ = static_cast<unsigned>(in.number());
  crc_ = static_cast<std::uint32_t>(in.number());
  crc_known_ = in.number() != 0;
  blocks_ = in.number();
  streams_ = in.number();
  const std::uint64_t garbage = in.number();
  garbage_offset_ = garbage == 0 ? std::nullopt : std::optional(garbage - 1);
}

void Bzip2Stream::pass(const Bzip2Segment& segment) {
  const auto is_done = [&] {
    if (segment.last && expected_ == Expected::block) return false;  // the end of the stream is missing
    return position_ >= segment.end_bit;
  };
  const auto is_known = [&] { return expected_ != Expected::unknown && expected_ != Expected::garbage; };
  while (is_known() && !is_done()) {
    if (expected_ == Expected::block) {
      pass_end_of_stream(segment);
    } else {
      pass_zeros(segment);
      if (expected_ == Expected::header) pass_header(segment);
    }
  }
}

void Bzip2Stream::pass_header(const Bzip2Segment& segment) {
  const std::uint64_t first = segment.local(position_) / 8;
  const auto header = segment.bytes().subspan(std::min<std::size_t>(first, segment.bytes().size()));
  for (std::size_t i = 0; i <= kStreamMagic.size(); ++i) {
    if (i == header.size()) throw error("truncated: the file ends inside the header of a stream");
    const auto letter = std::to_integer<char>(header[i]);
    const bool fits = i < kStreamMagic.size() ? letter == kStreamMagic[i] : letter >= '1' && letter <= '9';
    if (!fits) return meet_garbage(position_ / 8);
  }
  level_ = std::to_integer<unsigned>(header[kStreamMagic.size()]) - '0';
  position_ += 8 * (kStreamMagic.size() + 1);
  expected_ = Expected::block;
  ++streams_;
  crc_ = 0;
  crc_known_ = true;
}

/// Skips zeros, which may come before a header and after the last stream.
void Bzip2Stream::pass_zeros(const Bzip2Segment& segment) {
  const std::uint64_t first = segment.local(position_) / 8;
  expected_ = Expected::header;
  if (first >= segment.whole_bytes) return;
  const std::uint64_t most = segment.whole_bytes - first;
  const std::uint64_t zeros = leading_zeros(segment.bytes().subspan(first, most));
  position_ += 8 * zeros;
  if (zeros < most) return;
  expected_ = Expected::padding;  // to the end of the segment
  position_ = std::max(position_, segment.end_bit);
}

void Bzip2Stream::meet_garbage(std::uint64_t offset) {
  if (!ignores_garbage_) throw trailing_damage(path_, offset);
  expected_ = Expected::garbage;
  garbage_offset_ = offset;
}

void Bzip2Stream::pass_end_of_stream(const Bzip2Segment& segment) {
  BitReader bits(segment.bytes(), segment.local(position_));
  const bool is_end = bits.take(kBzip2MagicBits) == kBzip2EndMagic;
  const auto crc = static_cast<std::uint32_t>(bits.take(kBzip2CrcBits));
  if (bits.past_end() && segment.last) throw error("truncated: the file ends inside a stream");
  if (!is_end) throw error("damaged: neither a block nor the end of the stream where one must be");
  if (crc_known_ && crc != crc_) throw error("damaged: wrong checksum of a whole stream");
  position_ = (position_ + kBzip2MagicBits + kBzip2CrcBits + 7) / 8 * 8;
  expected_ = Expected::header;
}

void Bzip2Stream::passed_block(std::uint64_t end_bit, std::uint32_t crc) {
  crc_ = (crc_ << 1 | crc_ >> 31) ^ crc;
  position_ = end_bit;
  ++blocks_;
}

void Bzip2Stream::found_block(std::uint64_t bit) {
  expected_ = Expected::block;
  position_ = bit;
  level_ = 9;
  crc_known_ = false;
}

Error Bzip2Stream::give_up_block(const std::string& problem, std::uint64_t bit) {
  lose();
  return Error(problem, {.path = path_, .offset = bit / 8, .block = blocks_++}, kCopyAgain);
}

Error Bzip2Stream::error(const std::string& problem) const {
  return Error(problem, {.path = path_, .offset = position_ / 8}, kCopyAgain);
}

}  // namespace shardmill::codec
