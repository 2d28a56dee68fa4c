#include "codec/gzip/deflate_finder.hpp"

#include <array>
#include <bit>
#include <memory>

#include "codec/gzip/deflate_decoder.hpp"
#include "codec/gzip/header.hpp"

namespace shardmill::codec {

namespace {

constexpr unsigned kKindBits = 3;
constexpr unsigned kStepBytes = 4;
constexpr std::uint64_t kStored = 0;
constexpr std::uint64_t kFixed = 1;
constexpr std::uint64_t kOwnCodes = 2;

/// The share of all 7-bit strings that three codes take, whose lengths are in 9 bits.
constexpr std::array<std::uint8_t, 512> all_shares() {
  std::array<std::uint8_t, 512> shares{};
  for (unsigned i = 0; i < shares.size(); ++i) {
    for (unsigned shift = 0; shift < 9; shift += 3) {
      const unsigned length = i >> shift & 7;
      if (length > 0) shares[i] = static_cast<std::uint8_t>(shares[i] + (128U >> length));
    }
  }
  return shares;
}
constexpr std::array<std::uint8_t, 512> kShares = all_shares();

/// The bits, of the lowest 32, at which a block with its own codes seems to begin that is not the last, with
/// a possible number of codes.
std::uint64_t own_code_places(std::uint64_t word) {
  const std::uint64_t kind = ~word & ~(word >> 1) & (word >> 2);
  const std::uint64_t too_many_symbols = (word >> 4) & (word >> 5) & (word >> 6) & (word >> 7);
  const std::uint64_t too_many_distances = (word >> 9) & (word >> 10) & (word >> 11) & (word >> 12);
  return kind & ~too_many_symbols & ~too_many_distances & 0xffffffff;
}

class Finder {
 public:
  explicit Finder(std::span<const std::byte> in) : in_(in) {}

  std::optional<DeflateStart> find(std::uint64_t limit_bit) {
    for (std::size_t byte = 0; byte * 8 < limit_bit && byte + sizeof(std::uint64_t) <= in_.size();
         byte += kStepBytes) {
      const std::uint64_t word = deflate_bits(in_, byte * 8);
      std::optional<DeflateStart> best = find_bytewise(word, byte);
      for (std::uint64_t places = own_code_places(word); places != 0; places &= places - 1) {
        const std::uint64_t bit = byte * 8 + static_cast<unsigned>(std::countr_zero(places));
        if (best && best->bit < bit) break;
        if (brings_codes(bit)) {
          best = DeflateStart{.bit = bit};
          break;
        }
      }
      if (best && best->bit < limit_bit) return best;
    }
    return std::nullopt;
  }

  /// True if a block may begin here. Of a block without its own codes that is a weak sign.
  bool may_begin_block(std::uint64_t bit) {
    const std::uint64_t kind = deflate_bits(in_, bit) >> 1 & 3;
    if (kind == kStored) return stored_bytes((bit + kKindBits + 7) / 8).has_value();
    return kind == kFixed || (kind == kOwnCodes && brings_codes(bit));
  }

 private:
  bool brings_codes(std::uint64_t bit) {
    const std::uint64_t head = deflate_bits(in_, bit + 13);
    const auto bits = static_cast<unsigned>(3 * ((head & 15) + 4));
    std::uint64_t lengths = deflate_bits(in_, bit + 17) & ((std::uint64_t{1} << bits) - 1);
    unsigned share = 0;
    for (; lengths != 0; lengths >>= 9) share += kShares[lengths & 511];
    if (share != 128) return false;
    std::uint64_t at = bit + kKindBits;
    if (lengths_.read(in_, at) != DeflateLengths::Result::good) return false;
    const std::span<const std::uint8_t> all(lengths_.all);
    return tables_->build(all.first(lengths_.symbols), all.subspan(lengths_.symbols, lengths_.distances)) ==
           nullptr;
  }

  /// The length of the stored block whose length field is at `byte`; nullopt if the field is not valid.
  std::optional<std::size_t> stored_bytes(std::uint64_t byte) const {
    if (byte + 4 > in_.size()) return std::nullopt;
    const std::uint64_t lengths = deflate_bits(in_, byte * 8);
    if (((lengths ^ lengths >> 16) & 0xffff) != 0xffff) return std::nullopt;
    return lengths & 0xffff;
  }

  /// The length of a stored block or the header of a member, at `byte` or up to three bytes after it.
  std::optional<DeflateStart> find_bytewise(std::uint64_t word, std::size_t byte) {
    constexpr std::uint64_t kMemberBegin = 0x088b1f;
    for (std::size_t i = 0; i < kStepBytes; ++i) {
      const std::uint64_t here = word >> (8 * i);
      if ((here & 0xffffff) == kMemberBegin) {
        if (const auto start = member_at(byte + i)) return start;
      }
      if (((here ^ here >> 16) & 0xffff) == 0xffff && is_stored_at(byte + i)) {
        return DeflateStart{.bit = (byte + i) * 8 - kKindBits};
      }
    }
    return std::nullopt;
  }

  bool is_stored_at(std::size_t byte) {
    if (byte == 0 || (std::to_integer<unsigned>(in_[byte - 1]) >> (8 - kKindBits)) != 0) return false;
    const auto bytes = stored_bytes(byte);
    if (!bytes) return false;
    const std::size_t next = byte + 4 + *bytes;
    return next >= in_.size() || may_begin_block(next * 8);
  }

  std::optional<DeflateStart> member_at(std::size_t byte) {
    GzipHeader header;
    const std::size_t bytes = header.feed(in_.subspan(byte));
    const std::uint64_t bit = (byte + bytes) * 8;
    if (!header.is_whole() || !may_begin_block(bit)) return std::nullopt;
    return DeflateStart{.bit = bit, .begins_member = true};
  }

  std::span<const std::byte> in_;
  DeflateLengths lengths_;
  std::unique_ptr<DeflateTables> tables_ = std::make_unique_for_overwrite<DeflateTables>();
};

}  // namespace

std::optional<DeflateStart> find_deflate_start(std::span<const std::byte> in, std::uint64_t limit_bit) {
  return Finder(in).find(limit_bit);
}

bool same_deflate_start(std::span<const std::byte> in, std::uint64_t true_bit, std::uint64_t found_bit) {
  if (true_bit == found_bit) return true;
  const auto length_at = [](std::uint64_t bit) { return (bit + kKindBits + 7) / 8; };
  const auto is_stored = [&](std::uint64_t bit) { return (deflate_bits(in, bit) & 7) == kStored; };
  return true_bit < found_bit && length_at(true_bit) == length_at(found_bit) && is_stored(true_bit) &&
         is_stored(found_bit);
}

}  // namespace shardmill::codec
