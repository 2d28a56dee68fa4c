// Weights: how many times each sample of a weighted dataset is taken.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardmill::deal {

/// How many times the sample `key` is taken: always the whole part of `weight`, and once more for a share of
/// the keys that equals the fraction. Only `seed` decides which keys; the same on every machine.
std::uint64_t copies(double weight, std::uint64_t seed, std::string_view key);

}  // namespace shardmill::deal
