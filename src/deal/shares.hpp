// Shares: how many times each dataset is taken, from the amount of each and the wishes of the user.
#pragma once

#include <optional>
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

}  // namespace shardmill::deal
