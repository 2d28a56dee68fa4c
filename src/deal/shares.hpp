// Shares: how many times each dataset is taken, from how much of each there is and what is wanted.
#pragma once

#include <optional>
#include <vector>

namespace shardmill::deal {

/// What is wanted of one dataset.
struct ShareWish {
  double seconds = 0;              // that it holds
  std::optional<double> weight{};  // to be taken so many times
  std::optional<double> take{};    // so many seconds of it
};

/// A weight for each dataset. Those with a take or a weight get that. All others are mixed: their amounts are
/// as seconds^temperature, and together what they are by themselves; or `rest_seconds`, where that is given,
/// shared with those that have a weight. A dataset that holds nothing gets 1.
std::vector<double> shares(const std::vector<ShareWish>& wishes, std::optional<double> temperature,
                           std::optional<double> rest_seconds);

}  // namespace shardmill::deal
