#include "pipeline/sample_metadata.hpp"

#include <gtest/gtest.h>

namespace shardmill::pipeline {
namespace {

TEST(SampleMetadata, TakesTheTextAndCarriesTheRest) {
  const auto found =
      read_metadata(R"({"text": "a", "speaker": "s", "n": 1.50, "list": [1, {"x": null}]})", "", "");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->text, "a");
  EXPECT_EQ(found->facts, R"("speaker":"s","n":1.5,"list":[1,{"x":null}])");
}

TEST(SampleMetadata, TheFieldOfTheTextCanBeChosen) {
  const auto found = read_metadata(R"({"text":"a","raw":"b"})", "raw", "");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->text, "b");
  EXPECT_EQ(found->facts, R"("source_text":"a")");
  EXPECT_FALSE(read_metadata(R"({"text":"a"})", "raw", "")->text.has_value());
}

TEST(SampleMetadata, WhatIsKnownIsNotRepeated) {
  const auto found = read_metadata(R"({"speaker":"b","age":7,"nothing":null})", "", R"("speaker":"a")");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->facts, R"("age":7)");
}

TEST(SampleMetadata, NamesOfTheManifestAreLeftToIt) {
  EXPECT_EQ(read_metadata(R"({"duration":2,"key":"x"})", "", "")->facts,
            R"("source_duration":2,"source_source_key":"x")");
  EXPECT_EQ(read_metadata(R"({"language":"de"})", "", "")->facts, R"("language":"de","lang":"de")");
  EXPECT_EQ(read_metadata(R"({"language":"de","lang":"fr"})", "", "")->facts,
            R"("language":"de","lang":"fr")");
}

TEST(SampleMetadata, OtherThingsThanObjectsAreNone) {
  for (const char* json : {"", "{", "[]", "7", "\"text\"", "{\"text\":\"\xFF\"}"})
    EXPECT_FALSE(read_metadata(json, "", "").has_value()) << json;
}

}  // namespace
}  // namespace shardmill::pipeline
