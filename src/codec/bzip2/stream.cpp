#include "codec/bzip2/stream.hpp"

#include <algorithm>
#include <string_view>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2/block_header.hpp"
#include "codec/damage.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

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
