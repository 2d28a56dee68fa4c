// Chart: columns over an axis, drawn as SVG, which shows their values while the pointer rests on them. Axis:
// a range of values with marks at round numbers. Run: neighbouring values that share one column.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "page/markup_writer.hpp"

namespace shardmill::page {

/// Goes from `lowest` to `highest`, both multiples of `step`, with a mark at every multiple of `step`.
struct Axis {
  double lowest = 0;
  double highest = 1;
  double step = 1;

  std::vector<double> marks() const;
  /// `value` with the decimals that the step needs, and separators for thousands: "1,200", "0.25".
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

/// One piece of a column. Colours are classes, which the page's style sheet defines.
struct Segment {
  double from = 0;  // on the axis; cut off at its end
  double to = 0;
  std::string_view tone;
};

struct ChartColumn {
  std::string title;  // shown while the pointer rests on the column
  std::vector<Segment> segments;
};

struct Tick {
  double place = 0;  // in columns, counted from the left edge
  std::string label;
};

/// A line across all columns.
struct Level {
  double value = 0;
  std::string label;
};

struct Chart {
  std::string about;    // describes the picture for those who cannot see it
  std::string y_title;  // the quantity, with its unit
  std::string x_title;
  Axis y{};
  std::vector<ChartColumn> columns;
  std::vector<Tick> ticks;  // below the columns
  std::optional<Level> level{};
  double width = 960;  // in pixels, at the most
  double height = 220;
  bool is_joined = false;  // no gaps between the columns, as in a histogram
};

/// Draws a chart, and one that is too wide for a phone a second time for narrow windows. Their classes are
/// `roomy` and `slim`, and the page's style sheet shows one of them.
void draw(MarkupWriter& markup, const Chart& chart);

/// Ticks that number `items` items from 0; the items are drawn in `columns` columns.
std::vector<Tick> number_ticks(std::size_t items, std::size_t columns, std::size_t most_ticks);

}  // namespace shardmill::page
