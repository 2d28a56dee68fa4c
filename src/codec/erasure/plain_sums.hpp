// weighted_sums() in plain C++, for builds without ISA-L. Every build has it, so that tests can compare the
// two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardmill::codec {

/// `factors`: those for the first output, one an input, then those for the second, and so on.
void plain_weighted_sums(std::span<const std::uint8_t> factors, std::span<const std::byte* const> from,
                         std::span<std::byte* const> to, std::size_t bytes);

}  // namespace shardmill::codec
