// The names of the fields of a recipe.
#pragma once

#include <string_view>
#include <vector>

namespace shardmill::dataset {

/// Those that set_field() sets for a user, in the order of their table; not those that follow from others.
std::vector<std::string_view> recipe_field_names();

}  // namespace shardmill::dataset
