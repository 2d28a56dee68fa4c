#include "dataset/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "dataset/recipe/recipe_fields.hpp"
#include "dataset/recipe/values.hpp"

namespace shardmill::dataset {

namespace {

const RecipeField& field_named(std::string_view name) {
  const RecipeField* field = find_field(name);
  if (field == nullptr)
    throw Error(fmt::format("the option '{}' is unknown to this version of shardmill", printable(name)));
  return *field;
}

std::optional<std::string> value_in(const RecipeText& text, std::string_view name) {
  const auto found =
      std::find_if(text.begin(), text.end(), [&](const auto& field) { return field.first == name; });
  if (found != text.end()) return found->second;
  const RecipeField* field = find_field(name);
  return field == nullptr || field->unsaid.empty() ? std::nullopt : std::optional(std::string(field->unsaid));
}

/// True when two values mean the same.
bool agree(const RecipeField& field, const std::optional<std::string>& one,
           const std::optional<std::string>& other) {
  if (!field.by_first_word || !one || !other) return one == other;
  return one->substr(0, one->find(' ')) == other->substr(0, other->find(' '));
}

std::string said(const std::optional<std::string>& value) {
  if (!value) return "nothing";
  std::string text = *value;
  while (text.ends_with('\n')) text.pop_back();  // each pattern ends its line
  return text.empty() ? "nothing" : printable(text);
}

/// A policy that was chosen cannot be given up, because it may have shaped the results so far.
bool may_change(const RecipeField& field, const std::optional<std::string>& old,
                const std::optional<std::string>& now) {
  if (field.free_at.empty()) return false;
  if (field.free_at == kAnyValue) return true;
  const auto is_bound = [&](const std::optional<std::string>& value) {
    return !field.bound.empty() && value && value->starts_with(field.bound);
  };
  if (is_bound(old) || is_bound(now)) return old == field.bound && is_bound(now);
  return field.free_at == old && (field.unsaid.empty() || now != field.unsaid);
}

bool has_unknown_field(const RecipeText& text) {
  return std::any_of(text.begin(), text.end(),
                     [](const auto& field) { return find_field(field.first) == nullptr; });
}

}  // namespace

RecipeText text_of(const Recipe& recipe) {
  RecipeText text;
  for (const RecipeField& field : recipe_fields()) {
    std::string value = field.text(recipe);
    if (field.unsaid.empty() || value != field.unsaid) text.emplace_back(field.name, std::move(value));
  }
  return text;
}

Recipe recipe_of(const RecipeText& text) {
  Recipe recipe;
  for (const auto& [name, value] : text) {
    const RecipeField& field = field_named(name);
    try {
      field.read(recipe, value);
    } catch (const Error& error) {
      throw Error(fmt::format("its option '{}': '{}' {}", name, printable(value), error.problem()),
                  error.where(), error.advice());
    }
  }
  return recipe;
}

std::optional<Recipe> known_fields(const RecipeText& text, std::initializer_list<std::string_view> fields) {
  RecipeText wanted;
  for (const std::string_view name : fields) {
    const auto value = value_in(text, name);
    if (!value) return std::nullopt;
    wanted.emplace_back(name, *value);
  }
  try {
    return recipe_of(wanted);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void set_field(Recipe& recipe, std::string_view name, std::string_view value) {
  field_named(name).read(recipe, value);
}

std::optional<Contradiction> settle(Recipe& recipe, bool even_is_given) {
  deal::ShardSizing& sizing = recipe.sizing;
  if (recipe.plan_for) {
    if (recipe.even == deal::Even::off) {
      if (even_is_given) return Contradiction::plan_for_without_even;
      recipe.even = deal::Even::leave_out;
    }
    sizing.multiple_of = std::lcm(sizing.multiple_of, recipe.plan_for->multiple_of());
  }
  if (sizing.by == deal::ShardSizing::By::shards && sizing.amount % sizing.multiple_of != 0)
    return Contradiction::shards_are_no_multiple;
  if (need_quality(recipe.intake.filters)) recipe.intake.form.hearing.quality = true;
  if (recipe.intake.filters.min_seconds > recipe.intake.filters.max_seconds)
    return Contradiction::min_duration_is_above_max;
  return std::nullopt;
}

std::optional<std::string> difference(const RecipeText& old, const RecipeText& now) {
  for (const RecipeField& field : recipe_fields()) {
    const auto before = value_in(old, field.name);
    const auto after = value_in(now, field.name);
    if (!agree(field, before, after) && !may_change(field, before, after))
      return fmt::format("{}: was {}, now {}", field.name, said(before), said(after));
  }
  if (has_unknown_field(old)) return "another version of shardmill began it";
  return std::nullopt;
}

std::optional<std::string> difference_to_finished(const RecipeText& old, const RecipeText& now) {
  for (const RecipeField& field : recipe_fields()) {
    const auto before = value_in(old, field.name);
    const auto after = value_in(now, field.name);
    if (field.is_derived || agree(field, before, after)) continue;
    // Older versions did not record whether transcripts may be missing; and who allows that takes every
    // dataset.
    if (field.free_at == kAnyValue && (!before || after == "yes")) continue;
    if (!field.usual.empty() && before == field.unsaid && after == field.usual) continue;
    if (!before) return "another version of shardmill made it";
    return fmt::format("{}: was {}, now {}", field.name, said(before), said(after));
  }
  if (has_unknown_field(old)) return "another version of shardmill made it";
  return std::nullopt;
}

std::vector<std::string_view> recipe_field_names() {
  std::vector<std::string_view> names;
  for (const RecipeField& field : recipe_fields()) {
    if (!field.is_derived) names.push_back(field.name);
  }
  return names;
}

void set_sizing(deal::ShardSizing& sizing, std::string_view name, std::string_view value) {
  using By = deal::ShardSizing::By;
  const auto set = [&](By by, std::uint64_t amount) {
    if (amount == 0) throw Error("must be more than 0");
    sizing.by = by;
    sizing.amount = amount;
  };
  try {
    if (name == "shard-size") return set(By::bytes, base::parse_size(value));
    if (name == "shard-duration") {
      const double seconds = std::ceil(base::parse_duration_seconds(value));
      return set(By::seconds, static_cast<std::uint64_t>(seconds));
    }
  } catch (const UsageError& error) {
    throw Error(name == "shard-size" ? "is not a size" : "is not a duration", {}, error.advice());
  }
  if (name == "shards") return set(By::shards, positive_of(value));
  if (name == "shard-samples") return set(By::samples, positive_of(value));
  sizing.multiple_of = positive_of(value);
}

std::string list_root_in(const Recipe& recipe, const std::string& folder) {
  if (!recipe.list_root.empty()) return recipe.list_root;
  return recipe.final_place.empty() ? base::canonical(folder) : recipe.final_place;
}

}  // namespace shardmill::dataset
