#include "page/chart.hpp"

#include <algorithm>
#include <cmath>

namespace shardmill::page {

namespace {

constexpr double kLeft = 64;  // room for labels
constexpr double kRight = 12;
constexpr double kTop = 26;
constexpr double kBottom = 38;
constexpr double kWidestColumn = 64;
constexpr double kTitlesApart = 400;  // the titles above the columns need this much width
constexpr double kThinnest = 0.75;    // so that even a small segment stays visible

class Drawing {
 public:
  Drawing(MarkupWriter& markup, const Chart& chart) : markup_(markup), chart_(chart) {
    const double room = chart.width - kLeft - kRight;
    const auto columns = static_cast<double>(std::max<std::size_t>(chart.columns.size(), 1));
    pitch_ = chart.is_joined ? room / columns : std::min(room / columns, kWidestColumn);
    gap_ = chart.is_joined ? 0.5 : pitch_ > 4 ? std::min(pitch_ * 0.2, 6.0) : 0;
    right_ = kLeft + pitch_ * columns;
  }

  void run() {
    markup_.open("svg", {{"viewBox", "0 0 " + coordinate(chart_.width) + " " + coordinate(chart_.height)},
                         {"role", "img"},
                         {"aria-label", chart_.about},
                         {"style", "max-width:" + coordinate(chart_.width) + "px"}});
    draw_axis();
    for (std::size_t i = 0; i < chart_.columns.size(); ++i) draw_column(i);
    draw_ticks();
    if (chart_.level) draw_level(*chart_.level);
    markup_.close();
  }

 private:
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
    for (const Tick& tick : chart_.ticks) {
      const double x = x_of(tick.place);
      line(x, base_line(), x, base_line() + 4, "zero");
      markup_.element("text", tick.label, {{"x", x}, {"y", base_line() + 17}, {"class", "mark x"}});
    }
    markup_.element("text", chart_.x_title, {{"x", right_}, {"y", chart_.height - 5}, {"class", "name end"}});
  }

  void draw_level(const Level& level) {
    line(kLeft, y_of(level.value), right_, y_of(level.value), "level");
    markup_.element("text", level.label,
                    {{"x", std::max(right_, kTitlesApart)}, {"y", 12}, {"class", "name end strong"}});
  }

  MarkupWriter& markup_;
  const Chart& chart_;
  double pitch_ = 0;  // from column to column
  double gap_ = 0;
  double right_ = 0;
};

}  // namespace

void draw(MarkupWriter& markup, const Chart& chart) {
  Drawing(markup, chart).run();
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
