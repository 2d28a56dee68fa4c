// Axis: a range of values with round numbers to mark it, and many values in few columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace shardmill::page {

/// From `lowest`, a multiple of `step`, to `highest`, with a mark at every multiple of `step`.
struct Axis {
  double lowest = 0;
  double highest = 1;
  double step = 1;

  std::vector<double> marks() const;
  /// With as many decimals as the step needs, and thousands apart: "1,200", "0.25".
  std::string label(double value) const;
};

/// Holds 0, `lowest` and `highest`, in at most about `most_steps` steps of 1, 2 or 5 times a power of ten.
Axis axis_for(double lowest, double highest, std::size_t most_steps);

/// A run of neighbours that one column stands for.
struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

/// `count` items in runs of equal size, or nearly so: one an item where `most_runs` suffice.
std::vector<Run> runs_of(std::size_t count, std::size_t most_runs);

struct Extent {
  double lowest = 0;
  double mean = 0;
  double highest = 0;
};

/// `values` must not be empty.
Extent extent_of(std::span<const double> values);

}  // namespace shardmill::page
