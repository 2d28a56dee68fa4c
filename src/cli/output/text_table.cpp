#include "cli/output/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace shardmill::cli
