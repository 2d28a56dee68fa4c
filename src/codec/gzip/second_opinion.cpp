#include "codec/gzip/second_opinion.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "codec/gzip/deflate_decoder.hpp"

namespace shardmill::codec {

namespace {

constexpr int kRawWindowBits = -15;
// More than the longest header of a block and the longest code after it.
constexpr std::size_t kEnoughBytes = 1024;

/// Appends bits, lowest first.
class BitAppender {
 public:
  void put(std::uint64_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i, ++used_) {
      if (used_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() |= static_cast<std::uint8_t>((value >> i & 1) << (used_ % 8));
    }
  }
  void put(std::span<const std::byte> from, std::uint64_t bit, std::uint64_t end_bit) {
    for (; bit < end_bit; bit += 8) {
      put(deflate_bits(from, bit), static_cast<unsigned>(std::min<std::uint64_t>(8, end_bit - bit)));
    }
  }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint64_t used_ = 0;
};

struct Inflater {
  Inflater() {
    if (inflateInit2(&stream, kRawWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
};

}  // namespace

GzipVerdict gzip_second_opinion(const DeflateDecoder& deflate, std::span<const std::byte> in,
                                std::uint64_t bit, std::span<const std::uint8_t> window) {
  // Each bit keeps its place in its byte, because stored blocks depend on that.
  const bool inside_block = deflate.inside_block();
  const DeflateDecoder::Header header = inside_block ? deflate.header() : DeflateDecoder::Header{};
  const std::uint64_t header_bits = header.end_bit - header.first_bit;
  const auto first_bits = static_cast<unsigned>((bit + 8 - header_bits % 8) % 8);
  BitAppender bits;
  bits.put(0, first_bits);
  bits.put(header.bytes, header.first_bit, header.end_bit);
  bits.put(in, bit, std::min<std::uint64_t>(in.size(), bit / 8 + kEnoughBytes) * 8);

  Inflater zlib;
  if (!window.empty()) {
    inflateSetDictionary(&zlib.stream, window.data(), static_cast<uInt>(window.size()));
  }
  const std::uint64_t primed_bytes = first_bits > 0 ? 1 : 0;
  if (primed_bytes > 0 && !bits.bytes().empty()) {
    inflatePrime(&zlib.stream, static_cast<int>(8 - first_bits), bits.bytes()[0] >> first_bits);
  }
  zlib.stream.next_in = bits.bytes().data() + primed_bytes;
  zlib.stream.avail_in = static_cast<uInt>(bits.bytes().size() - primed_bytes);
  GzipVerdict verdict;
  std::array<std::uint8_t, std::size_t{16} << 10> plain;
  int status = Z_OK;
  while (status == Z_OK) {
    zlib.stream.next_out = plain.data();
    zlib.stream.avail_out = static_cast<uInt>(plain.size());
    status = inflate(&zlib.stream, Z_NO_FLUSH);
    // The bits after the code in question do not matter here.
    if (zlib.stream.total_out > 0) break;
  }
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  verdict.is_damage = status == Z_DATA_ERROR && zlib.stream.total_out == 0;
  const std::uint64_t added_bytes = (first_bits + header_bits) / 8;
  const std::uint64_t consumed = std::max(primed_bytes + zlib.stream.total_in, added_bytes);
  verdict.consumed_bytes = bit / 8 + consumed - added_bytes;
  const char* const problem = verdict.is_damage ? zlib.stream.msg : deflate.problem();
  if (problem != nullptr) verdict.problem = problem;
  return verdict;
}

}  // namespace shardmill::codec
