// Sums of pieces, each multiplied with a factor: what making and mending by an erasure code spends its time
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardmill::codec {

/// What weighted_sums() needs to know of the factors: those for the first output, one an input, then those
/// for the second, and so on. Made once, used for many pieces.
std::vector<std::uint8_t> prepared_factors(std::vector<std::uint8_t> factors, std::size_t outputs);

/// Byte i of an output is the sum, in the field, of byte i of every input times the factor of the two.
void weighted_sums(std::span<const std::uint8_t> prepared, std::span<const std::byte* const> from,
                   std::span<std::byte* const> to, std::size_t bytes);

}  // namespace shardmill::codec
