#include "dataset/recipe_names.hpp"

#include "dataset/recipe/recipe_fields.hpp"

namespace shardmill::dataset {

std::vector<std::string_view> recipe_field_names() {
  std::vector<std::string_view> names;
  for (const RecipeField& field : recipe_fields()) {
    if (!field.is_derived) names.push_back(field.name);
  }
  return names;
}

}  // namespace shardmill::dataset
