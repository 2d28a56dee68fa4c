#include "shardmill/codec/bzip2_runs.hpp"

#include <algorithm>

#include "shardmill/codec/bzip2_crc.hpp"

namespace shardmill::codec {

std::size_t Bzip2RunExpander::expand(std::span<std::byte> out) {
  std::size_t written = 0;
  while (written < out.size()) {
    if (pending_ > 0) {
      const std::size_t step = std::min<std::size_t>(pending_, out.size() - written);
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(written), step, last_);
      written += step;
      pending_ -= static_cast<unsigned>(step);
      continue;
    }
    if (position_ == runs_.size()) break;
    const std::byte byte = runs_[position_++];
    if (repeats_ == 4) {
      pending_ = std::to_integer<unsigned>(byte);
      repeats_ = 0;
      continue;
    }
    repeats_ = repeats_ > 0 && byte == last_ ? repeats_ + 1 : 1;
    last_ = byte;
    out[written++] = byte;
  }
  crc_ = update_bzip2_crc(crc_, out.first(written));
  return written;
}

}  // namespace shardmill::codec
