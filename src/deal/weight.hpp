// Weights: how often a sample of a weighted dataset is taken.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardmill::deal {

/// How many times the sample `key` is taken: the whole part of `weight` always, and once more for a share of
/// the keys equal to its fraction, chosen by `seed` alone. The same on every machine.
std::uint64_t copies(double weight, std::uint64_t seed, std::string_view key);

}  // namespace shardmill::deal
