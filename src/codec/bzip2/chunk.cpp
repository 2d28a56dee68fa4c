#include "codec/bzip2/chunk.hpp"

#include "codec/bzip2/scan.hpp"

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

}  // namespace shardmill::codec
