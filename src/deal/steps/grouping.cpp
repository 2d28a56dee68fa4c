#include "deal/steps/grouping.hpp"

#include <algorithm>
#include <numeric>

namespace shardmill::deal::steps {

namespace {

/// Of samples that are batched one after another, whatever the rule.
Batches begin(const std::vector<double>& order) {
  return {.lengths = {}, .filled = std::accumulate(order.begin(), order.end(), 0.0), .samples = order.size()};
}

}  // namespace

Batches groups_of(const std::vector<double>& order, std::size_t size) {
  Batches batches = begin(order);
  for (std::size_t first = 0; first < order.size(); first += size) {
    const std::size_t count = std::min(size, order.size() - first);
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
    const double longest = *std::max_element(from, from + static_cast<std::ptrdiff_t>(count));
    batches.lengths.push_back(longest * static_cast<double>(count));
  }
  return batches;
}

Batches groups_up_to(const std::vector<double>& order, double most) {
  Batches batches = begin(order);
  double longest = 0;
  double count = 0;
  for (const double length : order) {
    const double with_it = std::max(longest, length);
    if (with_it * (count + 1) > most) {
      if (count > 0) batches.lengths.push_back(longest * count);
      longest = length;
      count = 1;
    } else {
      longest = with_it;
      ++count;
    }
  }
  if (count > 0) batches.lengths.push_back(longest * count);
  return batches;
}

}  // namespace shardmill::deal::steps
