// Erasure code: Reed-Solomon over GF(2^8), which computes lost pieces of equal length from others; and its
// arithmetic, in the field of 256 elements with the polynomial x^8 + x^4 + x^3 + x^2 + 1, in which a sum is
// the exclusive or.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardmill::codec {

/// The shape of one code word: the number of data pieces, and of parity pieces computed from them.
inline constexpr std::uint32_t kMostDataPieces = 128;
inline constexpr std::uint32_t kMostParityPieces = 16;

/// The factor with which data piece `data` is multiplied on its way into parity piece `parity`: 1 / ((255 -
/// parity) xor data) in the field with the polynomial x^8 + x^4 + x^3 + x^2 + 1. It depends on nothing else,
/// so adding a piece does not change the shares of the others.
std::uint8_t parity_coefficient(std::uint32_t data, std::uint32_t parity);

/// Computes pieces from other pieces, byte by byte. A plain value, thread-safe.
class ErasureMap {
 public:
  /// Pieces are numbered: the `data` data pieces first, then parity pieces. `from`: exactly `data` different
  /// pieces that exist. `to`: the wanted pieces.
  ErasureMap(std::uint32_t data, const std::vector<std::uint32_t>& from,
             const std::vector<std::uint32_t>& to);

  std::size_t inputs() const noexcept { return inputs_; }
  std::size_t outputs() const noexcept { return outputs_; }

  /// Fills `to` from `from`, each of `bytes` bytes, in the order given to the constructor.
  void apply(std::span<const std::byte* const> from, std::span<std::byte* const> to, std::size_t bytes) const;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  std::vector<std::uint8_t> prepared_;  // the factors
};

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
