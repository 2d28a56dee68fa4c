#include "dataset/recipe/values.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::dataset {
namespace {

TEST(RecipeValues, NumbersAreWholeAndNotTooLarge) {
  EXPECT_EQ(number_of("0"), 0u);
  EXPECT_EQ(positive_of("18"), 18u);
  for (const char* text : {"", "x", "1x", " 1", "-1", "1.5", "9999999999999999999"})
    EXPECT_THROW(number_of(text), Error) << text;
  EXPECT_THROW(positive_of("0"), Error);
}

TEST(RecipeValues, SecondsArePlainOrHaveUnits) {
  EXPECT_EQ(seconds_of("0.25"), 0.25);
  EXPECT_EQ(seconds_of("250ms"), 0.25);
  EXPECT_EQ(seconds_of("2m"), 120);
  for (const char* text : {"-1", "inf", "nan", "soon"}) EXPECT_THROW(seconds_of(text), Error) << text;
}

TEST(RecipeValues, NumbersByNameReadBack) {
  const std::map<std::string, double> numbers{{"a", 2}, {"b", 0.5}};
  EXPECT_EQ(numbers_text(numbers), "a=2,b=0.5");
  std::map<std::string, double> read;
  read_weights(read, numbers_text(numbers));
  EXPECT_EQ(read, numbers);
  EXPECT_EQ(numbers_text({}), kNone);
  read_weights(read, kNone);
  EXPECT_EQ(read, numbers);
  for (const char* text : {"a", "a=", "a=0", "a=-1", "a=1001", "a=2,"})
    EXPECT_THROW(read_weights(read, text), Error) << text;
}

TEST(RecipeValues, AnUnknownWordNamesTheKnownOnes) {
  EXPECT_EQ(value_of(kOnError, "skip"), pipeline::OnError::skip);
  EXPECT_EQ(word_for(kOnError, pipeline::OnError::stop), "stop");
  try {
    value_of(kOnError, "ignore");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.advice(), "give one of stop, skip");
  }
}

TEST(RecipeValues, AFileOfKeysIsAnAbsolutePathAndItsHash) {
  pipeline::KeyFile file;
  EXPECT_EQ(key_file_text(file), kNoFile);
  read_key_file(file, "/lists/my keys");
  EXPECT_EQ(file.path, "/lists/my keys");
  EXPECT_FALSE(file.hash);
  const std::string recorded = std::string(32, 'a') + " /lists/my keys";
  read_key_file(file, recorded);
  EXPECT_EQ(file.path, "/lists/my keys");
  EXPECT_TRUE(file.hash);
  EXPECT_EQ(key_file_text(file), recorded);
}

}  // namespace
}  // namespace shardmill::dataset
