#include "codec/frames/frame_walk.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

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

namespace {

constexpr std::uint64_t kMostBlocks = 256;
constexpr std::uint64_t kZstdBlockBytes = 128 << 10;
constexpr std::uint64_t kRawBlock = std::uint64_t{1}
                                    << 31;  // lz4: this bit marks a block that is not compressed

/// Reads little-endian numbers at a place in a file; std::nullopt after its end.
class HeaderReader {
 public:
  explicit HeaderReader(const base::File& file) : file_(file) {}

  std::optional<std::uint64_t> take(std::size_t bytes) {
    std::array<std::byte, 8> raw{};
    const auto wanted = std::span(raw).first(bytes);
    if (file_.read_at(wanted, position_) < bytes) return std::nullopt;
    position_ += bytes;
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(raw[i]);
    return value;
  }
  void skip(std::uint64_t bytes) { position_ += bytes; }
  std::uint64_t position() const { return position_; }

 private:
  const base::File& file_;
  std::uint64_t position_ = 0;
};

struct FrameHeader {
  std::uint64_t largest_block = 0;  // in plain bytes; most blocks but the last are this large
  bool block_checksums = false;
  bool content_checksum = false;
  std::optional<std::uint64_t> content{};  // plain bytes, if they are in the header
};

struct Block {
  std::uint64_t bytes = 0;  // its size in the file, without its header
  bool ends_frame = false;
};

struct Zstd {
  static constexpr std::uint64_t kMagicNumber = kZstdMagicNumber;

  static std::optional<FrameHeader> take_frame(HeaderReader& in) {
    const auto descriptor = in.take(1);
    if (!descriptor) return std::nullopt;
    const bool single_segment = (*descriptor & 0x20) != 0;
    FrameHeader header{.largest_block = kZstdBlockBytes,
                       .block_checksums = false,
                       .content_checksum = (*descriptor & 4) != 0};
    if (!single_segment) {
      const auto window = in.take(1);
      if (!window) return std::nullopt;
      const std::uint64_t base = std::uint64_t{1} << (10 + (*window >> 3));
      header.largest_block = std::min(kZstdBlockBytes, base + base / 8 * (*window & 7));
    }
    constexpr std::array<std::size_t, 4> kDictionaryBytes{0, 1, 2, 4};
    in.skip(kDictionaryBytes[*descriptor & 3]);
    const std::array<std::size_t, 4> content_bytes{single_segment ? 1u : 0u, 2, 4, 8};
    const std::size_t bytes = content_bytes[*descriptor >> 6];
    if (bytes > 0) {
      header.content = in.take(bytes);
      if (!header.content) return std::nullopt;
      if (bytes == 2) *header.content += 256;
    }
    return header;
  }

  static std::optional<Block> take_block(HeaderReader& in, const FrameHeader&) {
    const auto header = in.take(3);
    if (!header) return std::nullopt;
    const bool is_run = (*header >> 1 & 3) == 1;  // one byte, repeated
    return Block{.bytes = is_run ? 1 : *header >> 3, .ends_frame = (*header & 1) != 0};
  }
};

struct Lz4 {
  static constexpr std::uint64_t kMagicNumber = kLz4MagicNumber;

  static std::optional<FrameHeader> take_frame(HeaderReader& in) {
    const auto flags = in.take(1);
    const auto block_size = in.take(1);
    if (!flags || !block_size) return std::nullopt;
    FrameHeader header{.largest_block = std::uint64_t{1} << (8 + 2 * (*block_size >> 4 & 7)),
                       .block_checksums = (*flags & 0x10) != 0,
                       .content_checksum = (*flags & 4) != 0};
    if ((*flags & 8) != 0) header.content = in.take(8);
    in.skip((*flags & 1) != 0 ? 5 : 1);  // skips the dictionary id and the checksum of the header
    return header;
  }

  static std::optional<Block> take_block(HeaderReader& in, const FrameHeader& header) {
    const auto size = in.take(4);
    if (!size) return std::nullopt;
    if (*size == 0) return Block{.bytes = 0, .ends_frame = true};
    return Block{.bytes = (*size & ~kRawBlock) + (header.block_checksums ? 4 : 0), .ends_frame = false};
  }
};

struct WalkedFrame {
  std::uint64_t full_blocks = 0;  // all but the last
  std::uint64_t full_bytes = 0;   // the bytes of these in the file
  std::uint64_t last_bytes = 0;   // the bytes of the last one in the file
  bool ended = false;

  /// Assumes that plain and compressed size of the last block have the same ratio as in the other blocks.
  std::uint64_t plain(std::uint64_t block_bytes) const {
    if (full_bytes == 0) return 0;
    const double average = static_cast<double>(full_bytes) / static_cast<double>(full_blocks);
    const double last = std::min(1.0, static_cast<double>(last_bytes) / average);
    return full_blocks * block_bytes + static_cast<std::uint64_t>(last * static_cast<double>(block_bytes));
  }
};

template <typename Format>
WalkedFrame walk_blocks(HeaderReader& in, const FrameHeader& frame, std::uint64_t most_blocks) {
  WalkedFrame walked;
  for (std::uint64_t i = 0; i < most_blocks && !walked.ended; ++i) {
    const auto block = Format::take_block(in, frame);
    if (!block) break;
    in.skip(block->bytes);
    walked.ended = block->ends_frame;
    if (block->bytes == 0) continue;  // the mark at the end of an lz4 frame, or an empty last block
    if (walked.last_bytes > 0) {
      ++walked.full_blocks;
      walked.full_bytes += walked.last_bytes;
    }
    walked.last_bytes = block->bytes;
  }
  if (walked.ended && frame.content_checksum) in.skip(4);
  return walked;
}

template <typename Format>
MeasuredPart measure(const base::File& file) {
  HeaderReader in(file);
  MeasuredPart done;
  const std::uint64_t file_bytes = file.size();
  for (std::uint64_t blocks = 0; blocks < kMostBlocks; ++blocks) {
    const auto magic = in.take(4);
    if (!magic) break;
    if (is_skippable(*magic)) {
      in.skip(in.take(4).value_or(0));
      continue;
    }
    const auto frame = *magic == Format::kMagicNumber ? Format::take_frame(in) : std::nullopt;
    if (!frame) break;
    const WalkedFrame walked = walk_blocks<Format>(in, *frame, kMostBlocks - blocks);
    blocks += walked.full_blocks;
    if (frame->content && !walked.ended) {
      return done.compressed == 0 ? MeasuredPart{file_bytes, *frame->content} : done;
    }
    const std::uint64_t plain = frame->content.value_or(walked.plain(frame->largest_block));
    if (plain == 0) return done;  // a single block, whose plain size is unknown
    done = {std::min(in.position(), file_bytes), done.plain + plain};
  }
  return done;
}

}  // namespace

MeasuredPart measure_zstd(const base::File& file) {
  return measure<Zstd>(file);
}

MeasuredPart measure_lz4(const base::File& file) {
  return measure<Lz4>(file);
}

}  // namespace shardmill::codec
