// TextGrids as Praat writes them, for tests of meetings.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

struct Interval {
  double begin;
  double end;
  std::string_view text;
};

/// A tier of a TextGrid as Praat writes it.
inline std::string tier(std::string_view name, const std::vector<Interval>& intervals) {
  std::string lines = fmt::format(
      "    item [1]:\n        class = \"IntervalTier\" \n        name = \"{}\" \n        xmin = 0 \n"
      "        xmax = 2 \n        intervals: size = {} \n",
      name, intervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i)
    lines += fmt::format(
        "        intervals [{}]:\n            xmin = {} \n            xmax = {} \n            text = \"{}\" "
        "\n",
        i + 1, intervals[i].begin, intervals[i].end, intervals[i].text);
  return lines;
}
inline std::string grid(const std::string& tiers) {
  return "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \nxmax = 2 \ntiers? <exists> \n"
         "size = 1 \nitem []: \n" +
         tiers;
}

}  // namespace shardmill::source
