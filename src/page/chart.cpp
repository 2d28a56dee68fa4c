#include "page/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardmill::page {

namespace {

/// The smallest number of the form 1, 2 or 5 times a power of ten that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> Axis::marks() const {
  std::vector<double> marks;
  const auto steps = static_cast<std::size_t>(std::floor((highest - lowest) / step + 1e-9));
  for (std::size_t i = 0; i <= steps; ++i) {
    marks.push_back((std::round(lowest / step) + static_cast<double>(i)) * step);
  }
  return marks;
}

std::string Axis::label(double value) const {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const std::size_t whole = text.find('.') == std::string::npos ? text.size() : text.find('.');
  for (std::size_t from_end = 3; from_end < whole; from_end += 3) text.insert(whole - from_end, 1, ',');
  return value < 0 ? "\u2212" + text : text;
}

Axis axis_for(double lowest, double highest, std::size_t most_steps) {
  lowest = std::min(lowest, 0.0);
  highest = std::max(highest, 0.0);
  if (highest - lowest <= 0) return {};
  const double step = round_step((highest - lowest) / static_cast<double>(most_steps));
  return {.lowest = std::floor(lowest / step + 1e-9) * step,
          .highest = std::ceil(highest / step - 1e-9) * step,
          .step = step};
}

std::vector<Run> runs_of(std::size_t count, std::size_t most_runs) {
  const std::size_t columns = std::min(count, most_runs);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < columns; ++i) {
    runs.push_back({.begin = count * i / columns, .end = count * (i + 1) / columns});
  }
  return runs;
}

Extent extent_of(std::span<const double> values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {.lowest = *lowest, .mean = sum / static_cast<double>(values.size()), .highest = *highest};
}

namespace {

constexpr double kLeft = 64;  // room for labels
constexpr double kRight = 12;
constexpr double kTop = 26;
constexpr double kBottom = 38;
constexpr double kWidestColumn = 64;
constexpr double kTitlesApart = 400;  // the titles above the columns need this much width
constexpr double kLetter = 6.6;       // about the width of one in a label
constexpr double kLabelsApart = 8;
constexpr double kLabelRow = 13;
constexpr double kHair = 0.5;       // in pixels: less than this is a rounding error
constexpr double kNarrow = 372;     // the room in a window of 400 pixels
constexpr double kThinnest = 0.75;  // so that even a small segment stays visible

class Drawing {
 public:
  Drawing(MarkupWriter& markup, const Chart& chart) : markup_(markup), chart_(chart) {
    const double room = chart.width - kLeft - kRight;
    const auto columns = static_cast<double>(std::max<std::size_t>(chart.columns.size(), 1));
    const bool has_label_each = chart.ticks.size() == chart.columns.size();
    const double widest = has_label_each ? std::max(kWidestColumn, label_width()) : kWidestColumn;
    pitch_ = chart.is_joined ? room / columns : std::min(room / columns, widest);
    gap_ = chart.is_joined ? 0.5 : pitch_ > 4 ? std::min(pitch_ * 0.2, 6.0) : 0;
    right_ = kLeft + pitch_ * columns;
    // With few columns the picture is narrower, so that it keeps its size in a narrow window.
    width_ = std::min(chart.width, std::max(right_ + kRight, kTitlesApart + kRight));
    label_rows_ = rows_of_labels();
    height_ = chart.height + kLabelRow * static_cast<double>(label_rows_ - 1);
  }

  /// True if its labels stay readable when it is made as small as a narrow window.
  bool fits_anywhere() const { return width_ <= kTitlesApart + kRight; }

  void run(std::string_view windows) {
    markup_.open("svg", {{"viewBox", "0 0 " + coordinate(width_) + " " + coordinate(height_)},
                         {"class", windows},
                         {"role", "img"},
                         {"aria-label", chart_.about},
                         {"style", "max-width:" + coordinate(width_) + "px"}});
    draw_axis();
    for (std::size_t i = 0; i < chart_.columns.size(); ++i) draw_column(i);
    draw_ticks();
    if (chart_.level) draw_level(*chart_.level);
    markup_.close();
  }

 private:
  /// The width of the longest label, with a blank beside it.
  double label_width() const {
    std::size_t longest = 0;
    for (const Tick& tick : chart_.ticks) longest = std::max(longest, tick.label.size());
    return kLetter * static_cast<double>(longest) + kLabelsApart;
  }
  /// The number of rows with which no label touches the next one.
  std::size_t rows_of_labels() const {
    double closest = right_;
    for (std::size_t i = 1; i < chart_.ticks.size(); ++i)
      closest = std::min(closest, x_of(chart_.ticks[i].place) - x_of(chart_.ticks[i - 1].place));
    if (chart_.ticks.size() < 2 || closest <= 0) return 1;
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil((label_width() - kHair) / closest)));
  }

  double base_line() const { return chart_.height - kBottom; }
  double y_of(double value) const {
    const double share =
        (std::min(value, chart_.y.highest) - chart_.y.lowest) / (chart_.y.highest - chart_.y.lowest);
    return base_line() - share * (base_line() - kTop);
  }
  double x_of(double place) const { return kLeft + place * pitch_; }

  void line(double x1, double y1, double x2, double y2, std::string_view tone) {
    markup_.empty("line", {{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}, {"class", tone}});
  }

  void draw_axis() {
    markup_.element("text", chart_.y_title, {{"x", 0}, {"y", 12}, {"class", "name"}});
    for (const double mark : chart_.y.marks()) {
      line(kLeft, y_of(mark), right_, y_of(mark), mark == 0 ? "zero" : "grid");
      markup_.element("text", chart_.y.label(mark),
                      {{"x", kLeft - 8}, {"y", y_of(mark) + 4}, {"class", "mark y"}});
    }
  }

  void draw_column(std::size_t index) {
    const ChartColumn& column = chart_.columns[index];
    const double left = x_of(static_cast<double>(index));
    markup_.open("g");
    markup_.element("title", column.title);
    markup_.empty(
        "rect",
        {{"x", left}, {"y", kTop}, {"width", pitch_}, {"height", base_line() - kTop}, {"class", "hit"}});
    for (const Segment& segment : column.segments) {
      const auto [bottom, top] = std::minmax(segment.from, segment.to);
      const double height = std::max(y_of(bottom) - y_of(top), kThinnest);
      markup_.empty("rect", {{"x", left + gap_ / 2},
                             {"y", y_of(bottom) - height},
                             {"width", pitch_ - gap_},
                             {"height", height},
                             {"class", segment.tone}});
    }
    markup_.close();
  }

  void draw_ticks() {
    for (std::size_t i = 0; i < chart_.ticks.size(); ++i) {
      const Tick& tick = chart_.ticks[i];
      const double x = x_of(tick.place);
      const double down = kLabelRow * static_cast<double>(i % label_rows_);
      line(x, base_line(), x, base_line() + 4 + down, "zero");
      markup_.element("text", tick.label, {{"x", x}, {"y", base_line() + 17 + down}, {"class", "mark x"}});
    }
    const double title_width = kLetter * static_cast<double>(chart_.x_title.size());
    markup_.element("text", chart_.x_title,
                    {{"x", std::max(right_, title_width)}, {"y", height_ - 5}, {"class", "name end"}});
  }

  void draw_level(const Level& level) {
    line(kLeft, y_of(level.value), right_, y_of(level.value), "level");
    markup_.element("text", level.label, {{"x", width_ - kRight}, {"y", 12}, {"class", "name end strong"}});
  }

  MarkupWriter& markup_;
  const Chart& chart_;
  double pitch_ = 0;  // from column to column
  double gap_ = 0;
  double right_ = 0;
  double width_ = 0;
  double height_ = 0;
  std::size_t label_rows_ = 1;
};

}  // namespace

void draw(MarkupWriter& markup, const Chart& chart) {
  Drawing drawing(markup, chart);
  if (drawing.fits_anywhere()) return drawing.run("");
  drawing.run("roomy");
  Chart narrow = chart;
  narrow.width = kNarrow;
  Drawing(markup, narrow).run("slim");
}

std::vector<Tick> number_ticks(std::size_t items, std::size_t columns, std::size_t most_ticks) {
  std::vector<Tick> ticks;
  if (items == 0) return ticks;
  Axis axis = axis_for(0, static_cast<double>(items - 1), most_ticks);
  axis.step = std::max(axis.step, 1.0);
  const double columns_an_item = static_cast<double>(columns) / static_cast<double>(items);
  for (double item = 0; item < static_cast<double>(items); item += axis.step) {
    ticks.push_back({.place = (item + 0.5) * columns_an_item, .label = axis.label(item)});
  }
  return ticks;
}

}  // namespace shardmill::page
