#include "cli/output/balance_text.hpp"

#include <fmt/format.h>

#include "base/text/units.hpp"

namespace shardmill::cli {

std::string spread_text(const manifest::DatasetRecord::Balance& balance) {
  const double spread = balance.max_seconds - balance.min_seconds;
  const std::string audio =
      spread < 1 ? fmt::format("{:.3f} ms", 1e3 * spread) : fmt::format("{:.1f} s", spread);
  return fmt::format("shards differ by at most {} of audio and {}", audio,
                     base::format_count(balance.max_samples - balance.min_samples, "sample"));
}

}  // namespace shardmill::cli
