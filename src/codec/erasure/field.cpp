#include "codec/erasure/field.hpp"

#include <array>
#include <cstddef>

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

}  // namespace shardmill::codec
