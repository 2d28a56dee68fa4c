#include "codec/block_encoder.hpp"

#include <algorithm>

namespace shardmill::codec {

void BlockEncoder::write(std::span<const std::byte> plain) {
  while (!plain.empty()) {
    if (block_.empty() && plain.size() >= block_bytes_) {
      encode(plain.first(block_bytes_), false);
      plain = plain.subspan(block_bytes_);
      continue;
    }
    const std::size_t taken = std::min(plain.size(), block_bytes_ - block_.size());
    block_.reserve(block_bytes_);
    block_.insert(block_.end(), plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(taken));
    plain = plain.subspan(taken);
    if (block_.size() == block_bytes_) {
      encode(block_, false);
      block_.clear();
    }
  }
}

void BlockEncoder::finish() {
  encode(block_, true);
}

}  // namespace shardmill::codec
