#include "codec/erasure/sums.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace shardmill::codec {

namespace {

constexpr std::size_t kNonZero = 255;

/// Every element but 0 is a power of 2, so a product is a sum of exponents.
struct Powers {
  std::array<std::uint8_t, 2 * kNonZero> of_two{};  // twice around: the sum of two exponents stays inside
  std::array<std::uint8_t, kNonZero + 1> exponent{};
};

constexpr Powers powers() {
  Powers result;
  unsigned power = 1;
  for (std::size_t i = 0; i < kNonZero; ++i) {
    result.of_two[i] = result.of_two[i + kNonZero] = static_cast<std::uint8_t>(power);
    result.exponent[power] = static_cast<std::uint8_t>(i);
    power <<= 1U;
    if (power > kNonZero) power ^= 0x11dU;
  }
  return result;
}

constexpr Powers kPowers = powers();

}  // namespace

std::uint8_t field_product(std::uint8_t a, std::uint8_t b) noexcept {
  if (a == 0 || b == 0) return 0;
  return kPowers.of_two[std::size_t{kPowers.exponent[a]} + kPowers.exponent[b]];
}

std::uint8_t field_inverse(std::uint8_t a) noexcept {
  return kPowers.of_two[kNonZero - kPowers.exponent[a]];
}

namespace {

constexpr std::size_t kStretchBytes = 4096;  // it stays in the nearest cache
using Stretch = std::array<std::uint8_t, kStretchBytes>;

// Compilers make vector instructions of both loops.
void add_to(std::uint8_t* sum, const Stretch& stretch, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) sum[i] = static_cast<std::uint8_t>(sum[i] ^ stretch[i]);
}

void double_each(Stretch& stretch) {
  for (std::uint8_t& value : stretch)
    value = static_cast<std::uint8_t>((value << 1) ^ ((value & 0x80) != 0 ? 0x1d : 0));
}

}  // namespace

void plain_weighted_sums(std::span<const std::uint8_t> factors, std::span<const std::byte* const> from,
                         std::span<std::byte* const> to, std::size_t bytes) {
  Stretch multiple{};
  for (std::size_t begin = 0; begin < bytes; begin += kStretchBytes) {
    const std::size_t size = std::min(kStretchBytes, bytes - begin);
    for (std::byte* output : to) std::memset(output + begin, 0, size);
    for (std::size_t input = 0; input < from.size(); ++input) {
      std::memcpy(multiple.data(), from[input] + begin, size);
      for (unsigned bit = 0; bit < 8; ++bit) {
        for (std::size_t output = 0; output < to.size(); ++output) {
          if ((factors[output * from.size() + input] >> bit & 1) != 0)
            add_to(reinterpret_cast<std::uint8_t*>(to[output] + begin), multiple, size);
        }
        double_each(multiple);
      }
    }
  }
}

}  // namespace shardmill::codec
