// Chart: columns over an axis, drawn as SVG, which shows its values when the pointer rests on them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page/axis.hpp"
#include "page/markup_writer.hpp"

namespace shardmill::page {

/// One piece of a column. Colours are classes, which the page's style sheet defines.
struct Segment {
  double from = 0;  // on the axis; cut off where the axis ends
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
  std::string y_title;  // what is counted, with its unit
  std::string x_title;
  Axis y{};
  std::vector<ChartColumn> columns;
  std::vector<Tick> ticks;  // below the columns
  std::optional<Level> level{};
  double width = 960;  // in pixels; less when the window is narrow
  double height = 220;
  bool is_joined = false;  // no gaps between the columns, as in a histogram
};

void draw(MarkupWriter& markup, const Chart& chart);

/// Ticks that number `items` items from 0; the items stand in `columns` columns.
std::vector<Tick> number_ticks(std::size_t items, std::size_t columns, std::size_t most_ticks);

}  // namespace shardmill::page
