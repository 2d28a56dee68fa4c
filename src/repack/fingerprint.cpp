#include "repack/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text/letters.hpp"

namespace shardmill::repack {

namespace {

constexpr std::string_view kSourceLine = "source ";

struct Fingerprint {
  dataset::RecipeText recipe;
  std::vector<std::string> sources;  // one line each
};

Fingerprint parsed(const std::string& text) {
  Fingerprint parsed;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(kSourceLine) || colon == std::string::npos) {
      parsed.sources.push_back(line);
    } else {
      parsed.recipe.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
  }
  return parsed;
}

/// The source in a line, without its size and time.
std::string_view named_in(std::string_view line) {
  return line.substr(0, line.rfind(": "));
}

}  // namespace

std::string fingerprint(const RepackPlan& plan) {
  std::string text;
  for (const auto& [name, value] : dataset::text_of(plan.recipe))
    text += fmt::format("{}: {}\n", name, printable(value));
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        text += fmt::format("{}{} {}: {} bytes, written at {}\n", kSourceLine, dataset.name,
                            printable(file.path), file.bytes, file.mtime_ns);
      }
    }
  }
  return text;
}

std::optional<std::string> difference(const std::string& old, const std::string& now) {
  const Fingerprint before = parsed(old);
  const Fingerprint after = parsed(now);
  if (auto what = dataset::difference(before.recipe, after.recipe)) return what;
  for (std::size_t i = 0; i < std::max(before.sources.size(), after.sources.size()); ++i) {
    const std::string was = i < before.sources.size() ? before.sources[i] : "nothing";
    const std::string is = i < after.sources.size() ? after.sources[i] : "nothing";
    if (was == is) continue;
    if (named_in(was) == named_in(is)) return fmt::format("{} has changed", named_in(is));
    return fmt::format("was '{}', now '{}'", named_in(was), named_in(is));
  }
  return std::nullopt;
}

}  // namespace shardmill::repack
