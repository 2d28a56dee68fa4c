#include "codec/reference_speed.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/system/cpu_speed.hpp"
#include "codec/bzip2/library.hpp"
#include "codec/codec.hpp"
#include "codec/gzip.hpp"
#include "codec/lz4.hpp"
#include "codec/stream_decoder.hpp"
#include "codec/xz.hpp"
#include "codec/zstd.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{2} << 20;
// Fits into the caches, like the buffers of loaders.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

std::unique_ptr<StreamDecoder> make_library_decoder(Codec codec) {
  switch (codec) {
    case Codec::bzip2:
      return make_bzip2_library_decoder();
    case Codec::gzip:
      return make_gzip_decoder();
    case Codec::xz:
      return make_xz_decoder();
    case Codec::zstd:
      return make_zstd_decoder();
    case Codec::lz4:
      return make_lz4_decoder();
    case Codec::none:
      break;
  }
  return nullptr;
}

/// Decodes `piece`, the start of a file, and returns the number of plain bytes.
std::size_t decode(Codec codec, std::span<const std::byte> piece, std::span<std::byte> buffer) {
  MultiStreamDecoder decoder(make_library_decoder(codec));
  std::size_t plain = 0;
  for (bool more = true; more;) {
    const Progress progress = decoder.decode(piece, buffer, false);
    piece = piece.subspan(progress.consumed);
    plain += progress.produced;
    more = progress.problem.empty() && (!piece.empty() || progress.produced == buffer.size());
  }
  return plain;
}

std::size_t copy(const base::File& file, std::size_t bytes, std::span<std::byte> buffer) {
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t got = file.read_at(buffer.first(std::min(buffer.size(), bytes - done)), done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

}  // namespace

double decoding_speed(std::span<const std::byte> compressed) {
  const Codec codec = detect(compressed);
  if (codec == Codec::none) return 0;
  std::vector<std::byte> buffer(kBufferBytes);
  return base::cpu_speed([&] { return static_cast<double>(decode(codec, compressed, buffer)); });
}

ReferenceSpeed reference_speed(const base::File& file) {
  std::vector<std::byte> piece(kPieceBytes);
  piece.resize(file.read_at(piece, 0));
  std::vector<std::byte> buffer(kBufferBytes);
  ReferenceSpeed speed;
  speed.copied_bytes_per_second =
      base::cpu_speed([&] { return static_cast<double>(copy(file, piece.size(), buffer)); });
  speed.decoded_bytes_per_second =
      detect(piece) == Codec::none ? speed.copied_bytes_per_second : decoding_speed(piece);
  return speed;
}

}  // namespace shardmill::codec
