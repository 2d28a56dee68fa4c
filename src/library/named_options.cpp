#include "library/named_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "dataset/recipe.hpp"

namespace shardmill::library {

namespace {

constexpr std::string_view kMultipleOf = "multiple-of";

/// An option that is not a field of the recipe.
struct OtherOption {
  std::string_view name;
  void (*set)(repack::RepackOptions& options, std::string_view value);
};

bool yes(std::string_view value) {
  if (value != "yes" && value != "no") throw Error("is unknown", {}, "give yes or no");
  return value == "yes";
}

std::uint64_t count(std::string_view value) {
  const auto number = base::count_in(value);
  if (!number) throw Error("is not a number");
  return *number;
}

constexpr OtherOption kOthers[] = {
    {"max-rejects",
     [](repack::RepackOptions& options, std::string_view value) {
       options.max_rejects = value == "all" ? std::numeric_limits<std::uint64_t>::max() : count(value);
     }},
    {"allow-commands",
     [](repack::RepackOptions& options, std::string_view value) { options.allow_commands = yes(value); }},
    {"force", [](repack::RepackOptions& options, std::string_view value) { options.force = yes(value); }},
    {"wait", [](repack::RepackOptions& options, std::string_view value) { options.wait = yes(value); }},
    {"ignore-free-space",
     [](repack::RepackOptions& options, std::string_view value) { options.ignore_free_space = yes(value); }},
};

const OtherOption* find_other(std::string_view name) {
  const auto* found = std::ranges::find(kOthers, name, &OtherOption::name);
  return found == std::end(kOthers) ? nullptr : found;
}

bool is_sizing(std::string_view name) {
  return name == kMultipleOf ||
         std::ranges::find(dataset::kShardCountOptions, name) != dataset::kShardCountOptions.end();
}

void set(repack::RepackOptions& options, const std::string& name, const std::string& value) {
  try {
    if (is_sizing(name)) {
      dataset::set_sizing(options.recipe.sizing, name, value);
    } else if (const OtherOption* other = find_other(name)) {
      other->set(options, value);
    } else {
      set_field(options.recipe, name, value);
    }
  } catch (const Error& error) {
    throw UsageError(fmt::format("{} {} {}", name, printable(value), error.problem()), {}, error.advice());
  }
}

std::string in_words(dataset::Contradiction contradiction, const deal::ShardSizing& sizing) {
  using enum dataset::Contradiction;
  switch (contradiction) {
    case plan_for_without_even:
      return "plan-for needs shards with the same number of samples, but even is off";
    case shards_are_no_multiple:
      return fmt::format("{} shards are not a multiple of {}", sizing.amount, sizing.multiple_of);
    case min_duration_is_above_max:
      return "min-duration is more than max-duration";
  }
  return {};
}

}  // namespace

std::vector<std::string> repack_option_names() {
  std::vector<std::string> names(dataset::kShardCountOptions.begin(), dataset::kShardCountOptions.end());
  names.emplace_back(kMultipleOf);
  for (const OtherOption& other : kOthers) names.emplace_back(other.name);
  for (const std::string_view field : dataset::recipe_field_names()) {
    if (find_other(field) == nullptr && !is_sizing(field)) names.emplace_back(field);
  }
  return names;
}

void apply(const std::vector<std::pair<std::string, std::string>>& named, repack::RepackOptions& options) {
  bool even_is_given = false;
  std::string sized_by;
  for (const auto& [name, value] : named) {
    even_is_given = even_is_given || name == "even";
    if (name.starts_with("shard") && !std::exchange(sized_by, name).empty())
      throw UsageError("only one of shards, shard-samples, shard-size and shard-duration can be given");
    set(options, name, value);
  }
  if (const auto contradiction = dataset::settle(options.recipe, even_is_given))
    throw UsageError(in_words(*contradiction, options.recipe.sizing));
}

}  // namespace shardmill::library
