#include "report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/text/units.hpp"

namespace shardmill::report {

namespace {

constexpr std::array<std::string_view, 7> kTones{"d0", "d1", "d2", "d3", "d4", "d5", "d6"};
constexpr std::string_view kToneOfOthers = "dx";
constexpr std::size_t kMostNameLetters = 60;
constexpr std::size_t kLongestCell = 240;

std::string_view class_of(const Column& column) {
  return column.is_number ? "number" : "words";
}

}  // namespace

bool Series::holds(std::string_view dataset) const {
  return std::find(datasets.begin(), datasets.end(), dataset) != datasets.end();
}

std::vector<Series> series_of(const manifest::DatasetRecord& dataset) {
  std::vector<std::size_t> largest(dataset.datasets.size());
  std::iota(largest.begin(), largest.end(), 0);
  std::stable_sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) {
    return dataset.datasets[a].seconds > dataset.datasets[b].seconds;
  });
  std::vector<Series> series;
  Series others{.label = {}, .tone = kToneOfOthers, .datasets = {}};
  for (std::size_t i = 0; i < dataset.datasets.size(); ++i) {
    const std::string& name = dataset.datasets[i].dataset;
    const auto rank =
        static_cast<std::size_t>(std::find(largest.begin(), largest.end(), i) - largest.begin());
    if (rank < kTones.size()) {
      series.push_back({.label = page::shortened(name, kMostNameLetters),
                        .tone = kTones[series.size()],
                        .datasets = {name}});
    } else {
      others.datasets.push_back(name);
    }
  }
  if (others.datasets.empty()) return series;
  others.label = fmt::format("{} others", others.datasets.size());
  series.push_back(std::move(others));
  return series;
}

void add_heading(page::MarkupWriter& html, std::string_view id, std::string_view heading,
                 std::string_view conclusion) {
  html.element("h2", heading, {{"id", id}});
  html.element("p", conclusion, {{"class", "lead"}});
}

void add_table(page::MarkupWriter& html, const std::vector<Column>& columns, const std::vector<Row>& rows) {
  html.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  for (const Column& column : columns) {
    html.element("th", column.heading, {{"class", class_of(column)}});
  }
  html.close().close().open("tbody");
  for (const Row& row : rows) {
    html.open("tr");
    for (std::size_t i = 0; i < row.size(); ++i) {
      // Where the page is too narrow for columns, the heading is shown before each cell.
      html.open("td", {{"class", class_of(columns[i])}, {"data-heading", columns[i].heading}});
      if (!row[i].tone.empty()) html.open("span", {{"class", "swatch " + std::string(row[i].tone)}}).close();
      html.text(page::shortened(row[i].text, kLongestCell)).close();
    }
    html.close();
  }
  html.close().close().close();
}

void add_legend(page::MarkupWriter& html, const std::vector<Series>& series) {
  html.open("ul", {{"class", "legend"}});
  for (const Series& one : series) {
    html.open("li").open("span", {{"class", "swatch " + std::string(one.tone)}}).close();
    html.text(one.label).close();
  }
  html.close();
}

TimeUnit time_unit(double seconds) {
  if (seconds >= 3600) return {.seconds = 3600, .name = "hours"};
  if (seconds >= 60) return {.seconds = 60, .name = "minutes"};
  return {.seconds = 1, .name = "seconds"};
}

double seconds_of(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string exact_seconds(double seconds) {
  const auto milliseconds = static_cast<std::uint64_t>(std::llround(seconds * 1e3));
  return fmt::format("{}.{:03} s", base::format_count(milliseconds / 1000), milliseconds % 1000);
}

std::string format_spread(double seconds) {
  if (seconds == 0) return "0 ms";
  if (seconds < 0.99995) return fmt::format("{:.1f} ms", seconds * 1e3);
  return base::format_audio(seconds);
}

std::string format_percent(double share) {
  const double percent = share * 100;
  if (std::abs(percent) < 1e-12) return "0%";
  const double digits = std::ceil(1 - std::log10(std::abs(percent)));
  return fmt::format("{:.{}f}%", percent, static_cast<int>(std::clamp(digits, 1.0, 12.0)));
}

std::string format_range(std::string_view one, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return fmt::format("{} {}", one, begin);
  return fmt::format("{}s {} to {}", one, base::format_count(begin), base::format_count(end - 1));
}

}  // namespace shardmill::report
