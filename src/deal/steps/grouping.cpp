#include <algorithm>
#include <numeric>

#include "deal/steps/stages.hpp"

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
  double longest = 0;
  return groups_up_to(order, most, longest);
}

Batches groups_up_to(const std::vector<double>& order, double most, double& longest) {
  Batches batches = begin(order);
  double longest_here = 0;  // of this batch alone, to which it is padded
  double count = 0;
  const auto end = [&] {
    if (count > 0) batches.lengths.push_back(longest_here * count);
    longest_here = 0;
    count = 0;
  };
  for (const double length : order) {
    longest = std::max(longest, length);
    if (longest * (count + 1) > most) {
      end();
      longest = length;
    }
    longest_here = std::max(longest_here, length);
    ++count;
  }
  end();
  return batches;
}

namespace {

/// The batches that are begun, as PyTorch's Grouper holds them.
class Groups {
 public:
  Groups(const std::vector<double>& bins, const std::vector<std::size_t>& sizes)
      : bins_(bins), sizes_(sizes), groups_(sizes.size()) {}

  void take(double length, std::vector<double>& complete) {
    const auto bin = std::upper_bound(bins_.begin(), bins_.end(), length);
    const auto number = static_cast<std::size_t>(bin - bins_.begin());
    Group& group = groups_[number];
    if (group.samples == 0) begun_.push_back(number);
    ++group.samples;
    group.longest = std::max(group.longest, length);
    ++held_;
    if (group.samples == sizes_[number]) end(number, complete);
    if (held_ == kMostHeld) end(largest(), complete);
  }

  void end_all(std::vector<double>& complete) {
    while (!begun_.empty()) end(begun_.front(), complete);
  }

 private:
  static constexpr std::size_t kMostHeld = 10000;  // samples
  struct Group {
    std::size_t samples = 0;
    double longest = 0;
  };

  void end(std::size_t number, std::vector<double>& complete) {
    Group& group = groups_[number];
    complete.push_back(group.longest * static_cast<double>(group.samples));
    held_ -= group.samples;
    group = {};
    std::erase(begun_, number);
  }

  /// Of equals the one that was begun first.
  std::size_t largest() const {
    return *std::max_element(begun_.begin(), begun_.end(), [this](std::size_t a, std::size_t b) {
      return groups_[a].samples < groups_[b].samples;
    });
  }

  const std::vector<double>& bins_;
  const std::vector<std::size_t>& sizes_;
  std::vector<Group> groups_;
  std::vector<std::size_t> begun_;  // numbers of groups that hold samples, in their order
  std::size_t held_ = 0;
};

}  // namespace

Batches groups_by_length(const std::vector<double>& order, const std::vector<double>& bins,
                         const std::vector<std::size_t>& sizes) {
  Batches batches = begin(order);
  Groups groups(bins, sizes);
  for (const double length : order) groups.take(length, batches.lengths);
  groups.end_all(batches.lengths);
  return batches;
}

}  // namespace shardmill::deal::steps
