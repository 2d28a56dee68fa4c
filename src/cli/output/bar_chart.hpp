// Bars and histograms for the terminal.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shardmill::cli {

enum class Glyphs { ascii, unicode };

/// What the locale of this process can show.
Glyphs terminal_glyphs();

/// A bar of about `length` columns.
std::string bar(double length, Glyphs glyphs);

enum class Quantity { seconds, bytes };

/// One line a bin, each begun with `indent`: the range of values, a bar, how many there are. Bins are equally
/// wide between the smallest and the largest value; there is only one when these are equal.
std::string bar_chart(std::span<const double> values, Quantity quantity, std::string_view indent,
                      Glyphs glyphs);

}  // namespace shardmill::cli
