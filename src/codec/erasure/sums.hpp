// The arithmetic of the erasure code, in the field of 256 elements with the polynomial x^8 + x^4 + x^3 + x^2
// + 1. A sum in this field is the exclusive or.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardmill::codec {

std::uint8_t field_product(std::uint8_t a, std::uint8_t b) noexcept;

/// The element whose product with `a` is 1. `a` must not be 0.
std::uint8_t field_inverse(std::uint8_t a) noexcept;

/// Converts factors to the form that weighted_sums() takes. `factors` has one factor an input for the first
/// output, then for the second, and so on. Convert once, and use the result for many pieces.
std::vector<std::uint8_t> prepared_factors(std::vector<std::uint8_t> factors, std::size_t outputs);

/// Byte i of an output is the sum of byte i of every input times the factor of the two. Most of the time for
/// making and repairing parity is spent here. By ISA-L if the program is built with it.
void weighted_sums(std::span<const std::uint8_t> prepared, std::span<const std::byte* const> from,
                   std::span<std::byte* const> to, std::size_t bytes);

/// weighted_sums() in plain C++, with factors that are not converted. Every build has it, so that tests can
/// compare the two.
void plain_weighted_sums(std::span<const std::uint8_t> factors, std::span<const std::byte* const> from,
                         std::span<std::byte* const> to, std::size_t bytes);

}  // namespace shardmill::codec
