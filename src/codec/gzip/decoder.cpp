#include "codec/gzip/decoder.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "codec/formats.hpp"
#include "codec/gzip/deflate_decoder.hpp"
#include "codec/gzip/deflate_finder.hpp"
#include "codec/gzip/header.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

std::uint32_t little_endian_32(std::span<const std::byte> bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  return number;
}

/// The part of the input that is not decoded yet, from a whole byte on.
std::span<const std::byte> rest_of(const GzipInput& in, std::uint64_t bit) {
  return in.bytes.subspan(static_cast<std::size_t>(bit / 8 - in.offset));
}

}  // namespace

GzipDecoder::GzipDecoder(std::uint64_t bit, DeflateDecoder deflate, std::size_t window_bytes)
    : stage_(Stage::blocks),
      any_member_(true),
      bit_(bit),
      window_bytes_(window_bytes),
      deflate_(std::move(deflate)) {}

GzipEnd GzipDecoder::decode(const GzipInput& in, std::uint64_t stop_bit, std::uint64_t wanted_bit,
                            GzipOutput& out) {
  for (;;) {
    bool goes_on = true;
    switch (stage_) {
      case Stage::between:
        goes_on = pass_between(in, out);
        break;
      case Stage::header:
        goes_on = pass_header(in, out);
        break;
      case Stage::blocks: {
        if (at_block() && (bit_ >= stop_bit || is_at(in, wanted_bit))) return GzipEnd::block;
        const auto end = pass_block(in, out);
        if (end == GzipEnd::room) return GzipEnd::room;
        goes_on = !end;
        break;
      }
      case Stage::trailer:
        goes_on = pass_trailer(in, out);
        break;
      case Stage::over:
        return GzipEnd::input;
    }
    if (!goes_on && stage_ != Stage::over) {
      if (in.last) meet_end(in, out);
      return GzipEnd::input;
    }
  }
}

bool GzipDecoder::is_at(const GzipInput& in, std::uint64_t bit) const {
  constexpr std::uint64_t kMostPadding = 7;
  if (!at_block() || bit_ > bit || bit - bit_ > kMostPadding) return false;
  const std::uint64_t first_bit = in.offset * 8;
  return same_deflate_start(in.bytes, bit_ - first_bit, bit - first_bit);
}

/// All four return false if there is too little input.
bool GzipDecoder::pass_between(const GzipInput& in, GzipOutput& out) {
  const auto rest = rest_of(in, bit_);
  const std::size_t padding = leading_zeros(rest);
  bit_ += 8 * padding;
  const auto magic = rest.subspan(padding);
  if (!begins_with(magic, kGzipMagic)) {
    if (any_member_) {
      out.garbage_offset = bit_ / 8;
      give_up();
    } else {
      meet_damage("damaged: no compressed data where it must begin", bit_ / 8 + kGzipMagic.size(), out);
    }
    return true;
  }
  if (magic.size() < kGzipMagic.size()) return false;
  header_ = GzipHeader();
  stage_ = Stage::header;
  return true;
}

bool GzipDecoder::pass_header(const GzipInput& in, GzipOutput& out) {
  bit_ += 8 * header_.feed(rest_of(in, bit_));
  if (header_.problem() != nullptr) {
    meet_damage(std::string("damaged gzip data: ") + header_.problem(), bit_ / 8, out);
    return true;
  }
  if (!header_.is_whole()) return false;
  stage_ = Stage::blocks;
  any_member_ = true;
  window_bytes_ = 0;
  deflate_.begin();
  out.stretches.back().begins_member = true;
  return true;
}

std::optional<GzipEnd> GzipDecoder::pass_block(const GzipInput& in, GzipOutput& out) {
  const std::uint64_t first_bit = in.offset * 8;
  std::uint64_t bit = bit_ - first_bit;
  std::uint8_t* const begin = out.next;
  DeflateOutput<std::uint8_t> plain{.history = out.next - window_bytes_, .next = out.next, .end = out.end};
  const DeflateEnd end = deflate_.decode(in.bytes, bit, plain);
  out.next = plain.next;
  bit_ = first_bit + bit;
  take_plain(begin, out);
  switch (end) {
    case DeflateEnd::input:
      return GzipEnd::input;
    case DeflateEnd::room:
      return GzipEnd::room;
    case DeflateEnd::block:
      return std::nullopt;
    case DeflateEnd::last_block:
      end_member();
      return std::nullopt;
    case DeflateEnd::damage:
      break;
  }
  const GzipVerdict verdict =
      gzip_second_opinion(deflate_, in.bytes, bit, std::span(out.next - window_bytes_, window_bytes_));
  meet_damage(
      (verdict.is_damage ? "damaged gzip data: " : "cannot be decoded, though zlib can: ") + verdict.problem,
      in.offset + verdict.consumed_bytes, out);
  return std::nullopt;
}

void GzipDecoder::end_member() noexcept {
  bit_ = (bit_ + 7) / 8 * 8;
  stage_ = Stage::trailer;
}

void GzipDecoder::take_plain(const std::uint8_t* begin, GzipOutput& out) {
  const auto plain = std::span(begin, out.next);
  GzipStretch& stretch = out.stretches.back();
  stretch.crc = gzip_crc(stretch.crc, std::as_bytes(plain));
  stretch.bytes += plain.size();
  window_bytes_ = std::min(kDeflateWindowBytes, window_bytes_ + plain.size());
}

bool GzipDecoder::pass_trailer(const GzipInput& in, GzipOutput& out) {
  const auto rest = rest_of(in, bit_);
  if (rest.size() < kGzipTrailerBytes) return false;
  GzipStretch& stretch = out.stretches.back();
  stretch.ends_member = true;
  stretch.stored_crc = little_endian_32(rest);
  stretch.stored_size = little_endian_32(rest.subspan(4));
  stretch.trailer_offset = bit_ / 8;
  out.stretches.emplace_back();
  bit_ += 8 * kGzipTrailerBytes;
  window_bytes_ = 0;
  stage_ = Stage::between;
  return true;
}

/// Handles the end of the file inside a header or a member.
void GzipDecoder::meet_end(const GzipInput& in, GzipOutput& out) {
  const std::uint64_t file_bytes = in.offset + in.bytes.size();
  if (stage_ == Stage::between) {
    if (bit_ == file_bytes * 8) return;
    meet_damage("truncated: the file ends inside the header of a compressed stream", file_bytes, out);
  } else {
    const auto rest = rest_of(in, bit_);
    if (stage_ == Stage::trailer && rest.size() >= kGzipTrailerBytes / 2) {
      // If the trailer is wrong, report that damage first.
      GzipStretch& stretch = out.stretches.back();
      stretch.ends_member = true;
      stretch.stored_crc = little_endian_32(rest);
      stretch.has_size = false;
      stretch.trailer_offset = bit_ / 8;
      out.stretches.emplace_back();
    }
    meet_damage("truncated: the file ends inside a compressed stream", file_bytes, out);
    out.damage->advice = "copy or make the file again";
  }
}

void GzipDecoder::meet_damage(const std::string& problem, std::uint64_t offset, GzipOutput& out) {
  out.damage = GzipDamage{.problem = problem, .offset = offset};
  give_up();
}

void GzipDecoder::save(base::BinaryWriter& out) const {
  out.put(static_cast<std::uint64_t>(stage_));
  out.put(any_member_ ? 1 : 0);
  out.put(bit_);
  out.put(window_bytes_);
  header_.save(out);
  deflate_.save(out);
}

void GzipDecoder::restore(base::BinaryReader& in) {
  stage_ = static_cast<Stage>(in.number());
  any_member_ = in.number() != 0;
  bit_ = in.number();
  window_bytes_ = static_cast<std::size_t>(in.number());
  header_.restore(in);
  deflate_.restore(in);
}

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
