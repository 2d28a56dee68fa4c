// Arithmetic in the field of 256 elements with the polynomial x^8 + x^4 + x^3 + x^2 + 1. Its sum is the
// exclusive or.
#pragma once

#include <cstdint>

namespace shardmill::codec {

std::uint8_t field_product(std::uint8_t a, std::uint8_t b) noexcept;

/// What `a`, which is not 0, is multiplied with to get 1.
std::uint8_t field_inverse(std::uint8_t a) noexcept;

}  // namespace shardmill::codec
