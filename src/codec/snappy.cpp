#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {

namespace {

/// The format: github.com/google/snappy, format_description.txt.
class SnappyBlock {
 public:
  SnappyBlock(std::span<const std::byte> packed, std::span<std::byte> plain)
      : in_(packed.data()),
        in_end_(packed.data() + packed.size()),
        begin_(plain.data()),
        out_(plain.data()),
        out_end_(plain.data() + plain.size()) {}

  void unpack() {
    if (length() != room()) throw Error("the snappy block has another size than its header says");
    while (in_ != in_end_) {
      const auto tag = std::to_integer<unsigned>(*in_++);
      switch (tag & 3) {
        case 0:
          literal(tag >> 2);
          break;
        case 1:
          copy(4 + (tag >> 2 & 7), (tag >> 5) << 8 | number(1));
          break;
        case 2:
          copy((tag >> 2) + 1, number(2));
          break;
        default:
          copy((tag >> 2) + 1, number(4));
      }
    }
    if (room() != 0) throw damaged();
  }

 private:
  static Error damaged() { return Error("damaged snappy data"); }

  std::size_t room() const { return static_cast<std::size_t>(out_end_ - out_); }

  /// The size of the plain bytes: 7 bits a byte, lowest first.
  std::size_t length() {
    constexpr unsigned kMostBits = 32;
    std::uint64_t length = 0;
    for (unsigned shift = 0; shift < kMostBits; shift += 7) {
      const std::size_t byte = number(1);
      length |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return static_cast<std::size_t>(length);
    }
    throw damaged();
  }

  std::size_t number(std::ptrdiff_t bytes) {
    if (in_end_ - in_ < bytes) throw damaged();
    std::size_t value = 0;
    for (std::ptrdiff_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(in_[i]);
    in_ += bytes;
    return value;
  }

  void literal(std::size_t code) {
    constexpr std::size_t kLongest = 60;  // larger codes say how many bytes the length takes
    const std::size_t bytes =
        1 + (code < kLongest ? code : number(static_cast<std::ptrdiff_t>(code - kLongest + 1)));
    if (static_cast<std::size_t>(in_end_ - in_) < bytes || room() < bytes) throw damaged();
    std::memcpy(out_, in_, bytes);
    in_ += bytes;
    out_ += bytes;
  }

  void copy(std::size_t bytes, std::size_t back) {
    constexpr std::size_t kStep = 8;
    constexpr std::size_t kSlack = 64 + kStep;  // no copy is longer than 64
    if (back == 0 || back > static_cast<std::size_t>(out_ - begin_) || room() < bytes) throw damaged();
    if (back >= kStep && room() >= kSlack) {
      // Writes up to 7 bytes too many, which are overwritten afterwards.
      for (std::size_t i = 0; i < bytes; i += kStep) std::memcpy(out_ + i, out_ + i - back, kStep);
    } else {
      for (std::size_t i = 0; i < bytes; ++i) out_[i] = *(out_ + i - back);
    }
    out_ += bytes;
  }

  const std::byte* in_;
  const std::byte* in_end_;
  std::byte* begin_;
  std::byte* out_;
  std::byte* out_end_;
};

}  // namespace

void unpack_snappy(std::span<const std::byte> packed, std::span<std::byte> plain) {
  SnappyBlock(packed, plain).unpack();
}

}  // namespace shardmill::codec
