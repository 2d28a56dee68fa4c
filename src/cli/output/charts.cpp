#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/text/letters.hpp"
#include "cli/output/shared_lines.hpp"

namespace shardmill::cli {

std::string text_table(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TextRow& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format(" {:<{}} ", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string percent(double share) {
  return fmt::format("{:.{}f}%", 100 * share, share == 0 || share >= 0.001 ? 1 : 5);
}

namespace {

constexpr std::size_t kMostBins = 8;
constexpr double kBarWidth = 40;

struct Unit {
  double size;
  std::string_view name;
};

constexpr std::array<Unit, 3> kTimeUnits{{{3600, "h"}, {60, "min"}, {1, "s"}}};
constexpr std::array<Unit, 5> kSizeUnits{{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};

/// The largest unit that is at most `value`, or else the smallest unit.
Unit unit_for(double value, std::span<const Unit> units) {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return value >= unit.size; });
  return found == units.end() ? units.back() : *found;
}

std::vector<std::size_t> count_bins(std::span<const double> values, double lowest, double width,
                                    std::size_t bins) {
  std::vector<std::size_t> counts(bins);
  for (const double value : values) {
    const auto bin = width > 0 ? static_cast<std::size_t>((value - lowest) / width) : 0;
    ++counts[std::min(bin, bins - 1)];
  }
  return counts;
}

}  // namespace

Glyphs terminal_glyphs() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const given = std::getenv(variable);
    if (given == nullptr || *given == '\0') continue;
    const std::string value = base::lower(given);
    const bool utf8 = value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    return utf8 ? Glyphs::unicode : Glyphs::ascii;
  }
  return Glyphs::ascii;
}

std::string bar(double length, Glyphs glyphs) {
  if (glyphs == Glyphs::ascii) return std::string(static_cast<std::size_t>(std::ceil(length)), '#');
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::ceil(length * 8));
  std::string text;
  for (std::size_t whole = 0; whole < eighths / 8; ++whole) text += "█";
  return text.append(kEighths[eighths % 8]);
}

std::string bar_chart(std::span<const double> values, Quantity quantity, std::string_view indent,
                      Glyphs glyphs) {
  if (values.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const std::size_t bins = *lowest < *highest ? std::min(kMostBins, values.size()) : 1;
  const double width = (*highest - *lowest) / static_cast<double>(bins);
  const auto counts = count_bins(values, *lowest, width, bins);
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));

  const Unit unit =
      quantity == Quantity::seconds ? unit_for(*highest, kTimeUnits) : unit_for(*highest, kSizeUnits);
  const double shown_width = width > 0 ? width / unit.size : 1;
  const int decimals = static_cast<int>(std::clamp(std::ceil(-std::log10(shown_width)) + 1, 0.0, 3.0));
  const std::size_t digits = fmt::format("{:.{}f}", *highest / unit.size, decimals).size();
  std::string text;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const double from = *lowest + width * static_cast<double>(bin);
    text += fmt::format("{}{:>{}.{}f} to {:>{}.{}f} {}  {} {}\n", indent, from / unit.size, digits, decimals,
                        (from + width) / unit.size, digits, decimals, unit.name,
                        bar(kBarWidth * static_cast<double>(counts[bin]) / most, glyphs), counts[bin]);
  }
  return text;
}

}  // namespace shardmill::cli
