#include "page/axis.hpp"

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

}  // namespace shardmill::page
