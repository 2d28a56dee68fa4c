#include "codec/frames/frame_end.hpp"

#include <array>
#include <span>

#include "codec/frames/magic_numbers.hpp"

namespace shardmill::codec {

namespace {

/// Reads little-endian numbers forward through a file; ok() turns false at the limit.
class Cursor {
 public:
  Cursor(const base::File& file, std::uint64_t offset, std::uint64_t limit)
      : file_(file), limit_(limit), offset_(offset) {}

  std::uint64_t take(unsigned bytes) {
    std::array<std::byte, 8> raw{};
    if (file_.read_at(std::span(raw).first(bytes), offset_) != bytes) ok_ = false;
    skip(bytes);
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(raw[i]);
    return value;
  }
  void skip(std::uint64_t bytes) {
    offset_ += bytes;
    if (offset_ > limit_) ok_ = false;
  }
  bool ok() const { return ok_; }
  std::uint64_t offset() const { return offset_; }

 private:
  const base::File& file_;
  std::uint64_t limit_;
  std::uint64_t offset_;
  bool ok_ = true;
};

void skip_zstd_frame(Cursor& cursor) {
  const std::uint64_t descriptor = cursor.take(1);
  const bool single_segment = (descriptor & 0x20) != 0;
  constexpr std::array<unsigned, 4> kDictionaryIdBytes{0, 1, 2, 4};
  constexpr std::array<unsigned, 4> kContentSizeBytes{0, 2, 4, 8};
  unsigned content_size_bytes = kContentSizeBytes[descriptor >> 6];
  if (content_size_bytes == 0 && single_segment) content_size_bytes = 1;
  cursor.skip((single_segment ? 0 : 1) + kDictionaryIdBytes[descriptor & 3] + content_size_bytes);
  for (bool last = false; !last && cursor.ok();) {
    const std::uint64_t header = cursor.take(3);
    constexpr std::uint64_t kRepeatedByte = 1;
    last = (header & 1) != 0;
    cursor.skip((header >> 1 & 3) == kRepeatedByte ? 1 : header >> 3);
  }
  if ((descriptor & 4) != 0) cursor.skip(4);
}

void skip_lz4_frame(Cursor& cursor) {
  const std::uint64_t flags = cursor.take(1);
  const bool block_checksums = (flags & 0x10) != 0;
  const bool content_size = (flags & 0x08) != 0;
  const bool content_checksum = (flags & 0x04) != 0;
  const bool dictionary_id = (flags & 0x01) != 0;
  cursor.skip(2 + (content_size ? 8U : 0U) + (dictionary_id ? 4U : 0U));
  while (cursor.ok()) {
    const std::uint64_t block = cursor.take(4);
    if (block == 0) break;
    cursor.skip((block & 0x7FFFFFFF) + (block_checksums ? 4U : 0U));
  }
  if (content_checksum) cursor.skip(4);
}

}  // namespace

std::optional<FrameEnd> frame_end(const base::File& file, Codec codec, std::uint64_t offset,
                                  std::uint64_t limit) {
  Cursor cursor(file, offset, limit);
  const std::uint64_t found = cursor.take(4);
  const bool skippable = is_skippable(found);
  if (!cursor.ok()) return std::nullopt;
  if (skippable) {
    cursor.skip(cursor.take(4));
  } else if (codec == Codec::zstd && found == kZstdMagicNumber) {
    skip_zstd_frame(cursor);
  } else if (codec == Codec::lz4 && found == kLz4MagicNumber) {
    skip_lz4_frame(cursor);
  } else {
    return std::nullopt;
  }
  if (!cursor.ok()) return std::nullopt;
  return FrameEnd{.end = cursor.offset(), .has_data = !skippable};
}

}  // namespace shardmill::codec
