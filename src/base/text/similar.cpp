#include "base/text/similar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace shardmill::base {

namespace {

constexpr std::size_t kLongestWord = 64;  // longer words are not compared

/// The number of letters that must be changed, added, left out or swapped with their neighbour to turn `a`
/// into `b`.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> most_similar(std::string_view word, std::span<const std::string> names) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongestWord) continue;
    const bool is_beginning = word.size() >= 3 && name.starts_with(word);
    const std::size_t errors = is_beginning ? 1 : typing_errors(word, name);
    if (errors >= fewest) continue;
    fewest = errors;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names,
                         std::string_view otherwise) {
  const auto similar = most_similar(word, names);
  return similar ? fmt::format("did you mean '{}'?", *similar) : std::string(otherwise);
}

}  // namespace shardmill::base
