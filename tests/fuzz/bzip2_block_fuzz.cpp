// The block decoder against libbz2, on every vector path. The input is the rest of a block, after its magic.
#include <bzlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "base/system/vector_path.hpp"
#include "codec/bzip2/block.hpp"

namespace {

using namespace shardmill;
using namespace shardmill::codec;

constexpr std::size_t kMagicByte = 4;
constexpr std::size_t kCrcByte = 10;
// A few bytes can stand for 47 million, which would leave time for little else.
constexpr std::size_t kMaxPlainBytes = std::size_t{1} << 20;
constexpr std::array<std::uint8_t, kCrcByte> kHead{'B', 'Z', 'h', '9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59};

void check(bool good) {
  if (!good) std::abort();
}

struct Decoded {
  Bzip2Block block;
  std::vector<std::byte> plain;
  std::uint32_t crc = 0;
};

Decoded decode(base::VectorPath path, std::span<const std::byte> stream) {
  static std::array<Bzip2BlockDecoder*, 5> decoders{};
  Bzip2BlockDecoder*& decoder = decoders[static_cast<std::size_t>(path)];
  if (decoder == nullptr) decoder = new Bzip2BlockDecoder(path);
  Decoded decoded;
  const Bzip2BlockPlace place{.input = stream, .start_bit = kMagicByte * 8};
  const Bzip2BlockPlace half{.input = stream.first(stream.size() / 2), .start_bit = kMagicByte * 8};
  Bzip2Block cut;
  decoder->decode(place, decoded.block, half, cut);
  Bzip2Block alone;
  decoder->decode(place, alone);
  check(alone.state == decoded.block.state && alone.runs == decoded.block.runs);
  if (decoded.block.state != Bzip2Block::State::good) return decoded;
  Bzip2RunExpander expander(decoded.block.runs, path);
  std::array<std::byte, 5000> chunk;
  std::size_t got = chunk.size();
  while (got == chunk.size() && decoded.plain.size() <= kMaxPlainBytes) {
    got = expander.expand(chunk);
    decoded.plain.insert(decoded.plain.end(), chunk.begin(),
                         chunk.begin() + static_cast<std::ptrdiff_t>(got));
  }
  decoded.crc = expander.crc();
  return decoded;
}

// What libbz2 writes before it ends, and how.
std::vector<std::byte> decode_by_libbz2(std::vector<std::byte> stream, std::size_t expected, int& code) {
  std::vector<std::byte> plain(expected + 1000);
  bz_stream bz{};
  check(BZ2_bzDecompressInit(&bz, 0, 0) == BZ_OK);
  bz.next_in = static_cast<char*>(static_cast<void*>(stream.data()));
  bz.avail_in = static_cast<unsigned>(stream.size());
  bz.next_out = static_cast<char*>(static_cast<void*>(plain.data()));
  bz.avail_out = static_cast<unsigned>(plain.size());
  code = BZ2_bzDecompress(&bz);
  plain.resize(plain.size() - bz.avail_out);
  BZ2_bzDecompressEnd(&bz);
  return plain;
}

void put_bits(std::vector<std::byte>& stream, std::uint64_t position, std::uint64_t value, unsigned bits) {
  for (unsigned i = bits; i-- > 0; ++position) {
    const auto mask = static_cast<std::byte>(0x80U >> position % 8);
    std::byte& byte = stream[position / 8];
    byte = (value >> i & 1) != 0 ? byte | mask : byte & ~mask;
  }
}

// The stream as it is when its checksums are right and it ends behind the block.
std::vector<std::byte> completed(std::vector<std::byte> stream, std::uint64_t end_bit, std::uint32_t crc) {
  stream.resize((end_bit + 80 + 7) / 8);
  put_bits(stream, kCrcByte * 8, crc, 32);
  put_bits(stream, end_bit, kBzip2EndMagic, 48);
  put_bits(stream, end_bit + 48, crc, 32);
  return stream;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> stream;
  for (const std::uint8_t byte : kHead) stream.push_back(std::byte{byte});
  for (std::size_t i = 0; i < size; ++i) stream.push_back(std::byte{data[i]});

  const Decoded decoded = decode(base::VectorPath::portable, stream);
  for (const base::VectorPath path : base::available_vector_paths()) {
    const Decoded other = decode(path, stream);
    check(other.block.state == decoded.block.state && other.block.problem == decoded.block.problem);
    // Where damage is noticed depends on how many groups a path reads at once.
    check(decoded.block.state != Bzip2Block::State::good || other.block.end_bit == decoded.block.end_bit);
    check(other.block.runs == decoded.block.runs && other.plain == decoded.plain && other.crc == decoded.crc);
  }

  if (decoded.plain.size() > kMaxPlainBytes) return 0;
  int code = BZ_OK;
  const bool good = decoded.block.state == Bzip2Block::State::good;
  if (good) stream = completed(stream, decoded.block.end_bit, decoded.crc);
  const std::vector<std::byte> plain = decode_by_libbz2(stream, decoded.plain.size(), code);
  if (good) {
    check(code == BZ_STREAM_END && plain == decoded.plain);
  } else if (decoded.block.state == Bzip2Block::State::truncated) {
    check(code == BZ_DATA_ERROR || (code == BZ_OK && plain.empty()));
  } else {
    // libbz2 looks at a block as a whole before it writes, but at its runs while it does.
    check(code != BZ_STREAM_END && (plain.empty() || decoded.block.problem == "the block ends inside a run"));
  }
  return 0;
}
