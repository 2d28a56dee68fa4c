// BitString: bits in the order of bzip2, the top bit of a byte first, put together one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardmill::codec::testing {

class BitString {
 public:
  /// The low `bits` bits of `value`, the highest of them first.
  BitString& put(std::uint64_t value, unsigned bits) {
    for (unsigned i = bits; i-- > 0;) bits_ += (value >> i & 1) != 0;
    return *this;
  }
  /// Zeros and ones as people write them.
  BitString& put(std::string_view digits) {
    for (const char digit : digits) bits_ += digit == '1';
    return *this;
  }
  std::uint64_t size() const noexcept { return bits_.size(); }
  std::string bytes() const {
    std::string packed((bits_.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      packed[i / 8] = static_cast<char>(packed[i / 8] | bits_[i] << (7 - i % 8));
    }
    return packed;
  }

 private:
  std::string bits_;  // one a char
};

}  // namespace shardmill::codec::testing
