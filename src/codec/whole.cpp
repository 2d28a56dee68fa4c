#include "codec/whole.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace shardmill::codec {

namespace {

/// Reads little-endian numbers forward through a file; ok() becomes false at its end.
class Cursor {
 public:
  explicit Cursor(const base::File& file) : file_(file), size_(file.size()) {}

  std::uint64_t take(unsigned bytes) {
    std::array<std::byte, 8> raw{};
    if (file_.read_at(std::span(raw).first(bytes), offset_) != bytes) ok_ = false;
    offset_ += bytes;
    std::uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(raw[i]);
    return value;
  }
  void skip(std::uint64_t bytes) {
    offset_ += bytes;
    if (offset_ > size_) ok_ = false;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return offset_ == size_; }

 private:
  const base::File& file_;
  std::uint64_t size_;
  std::uint64_t offset_ = 0;
  bool ok_ = true;
};

constexpr std::uint32_t kZstdMagic = 0xFD2FB528;
constexpr std::uint32_t kLz4Magic = 0x184D2204;

bool is_skippable(std::uint64_t magic) {
  return (magic & 0xFFFFFFF0) == 0x184D2A50;
}

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

bool walk_frames(const base::File& file, std::uint32_t magic, void (*skip_frame)(Cursor&)) {
  Cursor cursor(file);
  do {
    const std::uint64_t found = cursor.take(4);
    if (is_skippable(found)) {
      cursor.skip(cursor.take(4));
    } else if (cursor.ok() && found == magic) {
      skip_frame(cursor);
    } else {
      return false;
    }
  } while (cursor.ok() && !cursor.at_end());
  return cursor.ok();
}

bool ends_as_a_tar(const base::File& file) {
  constexpr std::uint64_t kBlockBytes = 512;
  const std::uint64_t size = file.size();
  if (size < 2 * kBlockBytes || size % kBlockBytes != 0) return false;
  std::array<std::byte, 2 * kBlockBytes> end;
  if (file.read_at(end, size - end.size()) != end.size()) return false;
  return std::all_of(end.begin(), end.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

bool decodes(base::File& file) {
  try {
    const auto reader = open(file);
    while (const auto piece = reader->next()) {
      while (!piece->read().empty()) {
      }
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

Codec detect_file(const base::File& file) {
  std::array<std::byte, kDetectBytes> first;
  return detect(std::span(first).first(file.read_at(first, 0)));
}

}  // namespace

bool looks_whole(base::File& file, Codec codec) {
  if (detect_file(file) != codec) return false;
  switch (codec) {
    case Codec::none:
      return ends_as_a_tar(file);
    case Codec::zstd:
      return walk_frames(file, kZstdMagic, skip_zstd_frame);
    case Codec::lz4:
      return walk_frames(file, kLz4Magic, skip_lz4_frame);
    default:
      return decodes(file);
  }
}

}  // namespace shardmill::codec
