#include "cli/commands/index_option.hpp"

#include <fmt/format.h>

namespace shardmill::cli {

std::string index_words() {
  return several_of(manifest::kAllIndexKinds);
}

dataset::IndexKinds index_kinds(const std::string& given) {
  const auto kinds = manifest::index_kinds_by_names(given);
  if (!kinds) {
    throw UsageError(fmt::format("--index {} is unknown", printable(given)), {},
                     "give wids, dali, energon, speechbrain, amphion, lhotse, kaldi, shar, huggingface or "
                     "several of them with commas");
  }
  return *kinds;
}

}  // namespace shardmill::cli
