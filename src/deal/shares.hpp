// How many times data is taken: shares() gives each dataset a weight, from its amount and the wishes of the
// user; copies() applies the weight to each sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardmill::deal {

/// What is wanted of one dataset.
struct ShareWish {
  double seconds = 0;              // that it holds
  std::optional<double> weight{};  // how many times to take it
  std::optional<double> take{};    // how many seconds of it to take
};

/// A weight for each dataset. Those with a take or a weight get that. All others are mixed: their amounts are
/// proportional to seconds^temperature, and their sum stays the same; or it is `rest_seconds`, where that is
/// given, shared with those that have a weight. A dataset that holds nothing gets 1.
std::vector<double> shares(const std::vector<ShareWish>& wishes, std::optional<double> temperature,
                           std::optional<double> rest_seconds);

/// How many times the sample `key` is taken: always the whole part of `weight`, and once more for a share of
/// the keys that equals the fraction. Only `seed` decides which keys; the same on every machine.
std::uint64_t copies(double weight, std::uint64_t seed, std::string_view key);

}  // namespace shardmill::deal
