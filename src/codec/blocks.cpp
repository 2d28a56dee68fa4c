#include "codec/blocks.hpp"

#include <memory>
#include <string>

#include "base/error.hpp"
#include "codec/formats.hpp"
#include "codec/gzip/header.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

Error wrong_size() {
  return Error("the block has another size than its header says");
}

/// Streams that follow each other.
void unpack_streams(StreamDecoder& decoder, std::span<const std::byte> packed, std::span<std::byte> plain) {
  while (!packed.empty()) {
    decoder.begin();
    for (bool ended = false; !ended;) {
      const Progress progress = decoder.decode(packed, plain);
      if (!progress.problem.empty()) throw Error(progress.problem);
      ended = progress.ended;
      if (!ended && progress.consumed == 0 && progress.produced == 0) throw wrong_size();
      packed = packed.subspan(progress.consumed);
      plain = plain.subspan(progress.produced);
    }
  }
  if (!plain.empty()) throw wrong_size();
}

}  // namespace

void unpack_block(BlockForm form, std::span<const std::byte> packed, std::span<std::byte> plain) {
  switch (form) {
    case BlockForm::snappy:
      return unpack_snappy(packed, plain);
    case BlockForm::lz4:
      return unpack_lz4_block(packed, plain);
    case BlockForm::gzip:
      return unpack_streams(*make_gzip_library_decoder(), packed, plain);
    case BlockForm::zstd:
      return unpack_streams(*make_zstd_decoder(), packed, plain);
  }
}

std::uint64_t most_plain_bytes(BlockForm form, std::uint64_t packed_bytes) {
  constexpr std::uint64_t kSnappyRatio = 22;  // a copy of 64 bytes takes 3
  constexpr std::uint64_t kLz4Ratio = 256;    // a byte more adds 255
  constexpr std::uint64_t kGzipRatio = 1100;
  constexpr std::uint64_t kZstdRatio = 44'000;  // a block of 128 KiB takes 3 bytes and one
  constexpr std::uint64_t kSmall = 1 << 16;
  switch (form) {
    case BlockForm::snappy:
      return kSmall + kSnappyRatio * packed_bytes;
    case BlockForm::lz4:
      return kSmall + kLz4Ratio * packed_bytes;
    case BlockForm::gzip:
      return kSmall + kGzipRatio * packed_bytes;
    case BlockForm::zstd:
      break;
  }
  return kSmall + kZstdRatio * packed_bytes;
}

std::uint32_t block_crc(std::span<const std::byte> bytes) {
  return gzip_crc(0, bytes);
}

}  // namespace shardmill::codec
