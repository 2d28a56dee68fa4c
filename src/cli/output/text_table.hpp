// text_table: columns of text as wide as their longest cells.
#pragma once

#include <string>
#include <vector>

namespace shardmill::cli {

using TextRow = std::vector<std::string>;

/// All rows have as many cells as the first.
std::string text_table(const std::vector<TextRow>& rows);

/// "1.5%", with more digits for what is less than a thousandth.
std::string percent(double share);

}  // namespace shardmill::cli
