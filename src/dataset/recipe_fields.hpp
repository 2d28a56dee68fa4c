// The fields of a Recipe: one table of their names, and how each is written and read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dataset/recipe.hpp"

namespace shardmill::dataset {

inline constexpr std::string_view kAnyValue = "*";

struct RecipeField {
  std::string_view name;  // as on the command line
  std::string (*text)(const Recipe& recipe);
  void (*read)(Recipe& recipe, std::string_view text);
  /// An unfinished run may go on with another value, but not with the unsaid one, when it had this one so
  /// far; empty: with no other.
  std::string_view free_at{};
  /// The value that is not written down. Every field that is added from now on has one, so that the records
  /// of older datasets stay as they are and still fit.
  std::string_view unsaid{};
  /// The value that a command asks for today when it does not name the field. A finished dataset with the
  /// unsaid value fits such a command, too.
  std::string_view usual{};
  /// Two texts are compared by their first words only: the rest says where the value is from.
  bool by_first_word = false;
  /// It follows from other fields and an estimate, and another version may estimate differently.
  bool is_derived = false;
};

std::span<const RecipeField> recipe_fields();
/// nullptr when there is none.
const RecipeField* find_field(std::string_view name);

}  // namespace shardmill::dataset
