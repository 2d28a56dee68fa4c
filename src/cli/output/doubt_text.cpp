#include "cli/output/doubt_text.hpp"

#include <fmt/format.h>

#include "base/text/units.hpp"
#include "cli/output/row.hpp"

namespace shardmill::cli {

std::string doubt_as_text(const manifest::DatasetRecord& dataset) {
  if (dataset.doubtful.empty()) return "";
  return row("in doubt",
             fmt::format("{} may be wrong, because {} damaged after them (see dataset.json)",
                         base::format_count(doubtful_samples(dataset), "sample"),
                         dataset.doubtful.size() == 1
                             ? "a compressed stream is"
                             : base::format_count(dataset.doubtful.size(), "compressed stream") + " are"));
}

}  // namespace shardmill::cli
