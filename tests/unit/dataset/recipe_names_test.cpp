#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "dataset/recipe.hpp"

namespace shardmill::dataset {
namespace {

TEST(RecipeNames, AreThoseThatAUserSets) {
  const auto names = recipe_field_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "sample-rate"), names.end());
  EXPECT_EQ(std::find(names.begin(), names.end(), "shares"), names.end());
  Recipe recipe;
  for (const std::string_view name : names) {
    try {
      set_field(recipe, name, "\x01");
    } catch (const Error& error) {
      EXPECT_EQ(error.problem().find("is unknown to this version"), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace shardmill::dataset
