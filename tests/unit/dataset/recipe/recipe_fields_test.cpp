#include "dataset/recipe/recipe_fields.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"

namespace shardmill::dataset {
namespace {

TEST(RecipeFields, EachIsFoundByItsOneName) {
  std::set<std::string_view> names;
  for (const RecipeField& field : recipe_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(find_field(field.name), &field);
  }
  EXPECT_GT(names.size(), 15u);
  EXPECT_EQ(find_field("nonsense"), nullptr);
  EXPECT_EQ(find_field(""), nullptr);
}

TEST(RecipeFields, TheDefaultOfEachReadsBack) {
  for (const RecipeField& field : recipe_fields()) {
    const std::string text = field.text(Recipe());
    Recipe read;
    if (!text.empty()) {
      EXPECT_NO_THROW(field.read(read, text)) << field.name << " " << text;
    }
    EXPECT_EQ(field.text(read), text) << field.name;
  }
}

TEST(RecipeFields, WhatIsLeftUnsaidIsTheDefault) {
  for (const RecipeField& field : recipe_fields()) {
    if (!field.unsaid.empty()) {
      EXPECT_EQ(field.text(Recipe()), field.unsaid) << field.name;
    }
  }
}

}  // namespace
}  // namespace shardmill::dataset
