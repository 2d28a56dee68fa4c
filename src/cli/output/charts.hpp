// Tables, bars and histograms for the terminal.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::cli {

using TextRow = std::vector<std::string>;

/// All rows have as many cells as the first.
std::string text_table(const std::vector<TextRow>& rows);

/// "1.5%", with more digits below a thousandth.
std::string percent(double share);

enum class Glyphs { ascii, unicode };

/// The glyphs that the locale of this process can show.
Glyphs terminal_glyphs();

/// A bar of about `length` columns.
std::string bar(double length, Glyphs glyphs);

enum class Quantity { seconds, bytes };

/// One line for each bin: `indent`, the range of values, a bar, and the count. All bins are equally wide.
/// There is only one if all values are equal.
std::string bar_chart(std::span<const double> values, Quantity quantity, std::string_view indent,
                      Glyphs glyphs);

}  // namespace shardmill::cli
