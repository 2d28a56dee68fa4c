#include "cli/commands/index_option.hpp"

#include <fmt/format.h>

namespace shardmill::cli {

std::string index_words() {
  return several_of(manifest::kAllIndexKinds);
}

dataset::IndexKinds index_kinds(const std::string& given) {
  const auto kinds = manifest::index_kinds_by_names(given);
  if (!kinds) {
    std::string words;
    for (const manifest::IndexKind kind : manifest::kAllIndexKinds) {
      if (!words.empty()) words += ", ";
      words += name(kind);
    }
    throw UsageError(fmt::format("--index {} is unknown", printable(given)), {},
                     fmt::format("give {} or several of them with commas", words));
  }
  return *kinds;
}

}  // namespace shardmill::cli
