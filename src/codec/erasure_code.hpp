// Erasure code: Reed-Solomon over GF(2^8), which computes lost pieces of equal length from others.
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

}  // namespace shardmill::codec
