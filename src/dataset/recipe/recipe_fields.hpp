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
  /// An unfinished run that had this value so far may go on with another one, but not with `unsaid`. Empty:
  /// it may not go on with any other value.
  std::string_view free_at{};
  /// A field of this value is left out of the records. Every new field has one, so that the records of older
  /// datasets, which lack the field, still fit.
  std::string_view unsaid{};
  /// What a command means today that does not name the option. A finished dataset with the value `unsaid`
  /// fits such a command, too.
  std::string_view usual{};
  /// Two texts are compared by their first words only: the rest says where the value is from.
  bool by_first_word = false;
  /// The first word of values that shape all samples: an unfinished run may not take them up or give them up.
  std::string_view bound{};
  /// It follows from other fields and an estimate, and another version may estimate differently.
  bool is_derived = false;
};

std::span<const RecipeField> recipe_fields();
/// nullptr for an unknown name.
const RecipeField* find_field(std::string_view name);

}  // namespace shardmill::dataset
