#include "report/duration_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardmill::report {

void DurationHistogram::add(Duration duration) {
  const std::size_t step = std::min(static_cast<std::size_t>(duration / kStep), kSteps);
  if (step >= counts_.size()) counts_.resize(step + 1);
  ++counts_[step];
  shortest_ = samples_ == 0 ? duration : std::min(shortest_, duration);
  longest_ = std::max(longest_, duration);
  total_ += duration;
  ++samples_;
}

void DurationHistogram::add(const DurationHistogram& other) {
  if (other.samples_ == 0) return;
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  std::transform(other.counts_.begin(), other.counts_.end(), counts_.begin(), counts_.begin(), std::plus<>());
  shortest_ = samples_ == 0 ? other.shortest_ : std::min(shortest_, other.shortest_);
  longest_ = std::max(longest_, other.longest_);
  total_ += other.total_;
  samples_ += other.samples_;
}

DurationHistogram::Duration DurationHistogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(samples_)));
  std::uint64_t passed = 0;
  for (std::size_t step = 0; step < counts_.size(); ++step) {
    passed += counts_[step];
    if (passed >= wanted) return kStep * static_cast<std::int64_t>(step);
  }
  return {};
}

std::uint64_t DurationHistogram::count(std::size_t first, std::size_t last) const {
  const std::size_t end = std::min(last, counts_.size());
  if (first >= end) return 0;
  return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(first),
                         counts_.begin() + static_cast<std::ptrdiff_t>(end), std::uint64_t{0});
}

}  // namespace shardmill::report
