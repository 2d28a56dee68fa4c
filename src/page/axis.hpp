// Axis: a range of values with marks at round numbers; runs: many values drawn in few columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace shardmill::page {

/// Goes from `lowest` to `highest`, both multiples of `step`, with a mark at every multiple of `step`.
struct Axis {
  double lowest = 0;
  double highest = 1;
  double step = 1;

  std::vector<double> marks() const;
  /// With as many decimals as the step needs, and separators for thousands: "1,200", "0.25".
  std::string label(double value) const;
};

/// An axis that contains 0, `lowest` and `highest`. It has at most about `most_steps` steps, each of 1, 2 or
/// 5 times a power of ten.
Axis axis_for(double lowest, double highest, std::size_t most_steps);

/// A range of neighbouring items that share one column.
struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

/// Divides `count` items into runs of (nearly) equal size: one item each if `most_runs` is enough for that.
std::vector<Run> runs_of(std::size_t count, std::size_t most_runs);

struct Extent {
  double lowest = 0;
  double mean = 0;
  double highest = 0;
};

/// `values` must not be empty.
Extent extent_of(std::span<const double> values);

}  // namespace shardmill::page
