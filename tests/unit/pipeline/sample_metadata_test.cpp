#include "pipeline/sample_metadata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

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

TEST(SampleMetadata, NumbersThatPythonWritesAreNoLoss) {
  const auto found = read_metadata(
      R"({"snr":NaN,"gain":-Infinity,"peak":[Infinity,1],"speaker":"a \"NaN\" b","text":"NaN"})", "", "");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->facts, R"("peak":[null,1],"speaker":"a \"NaN\" b")");
  EXPECT_EQ(found->text, "NaN");
}

using ::testing::HasSubstr;

TEST(MergedFacts, TheNewerReplaceThoseOfTheSameName) {
  EXPECT_EQ(merged_facts("", ""), "");
  EXPECT_EQ(merged_facts(R"("a":1)", ""), R"("a":1)");
  EXPECT_EQ(merged_facts("", R"("a":1)"), R"("a":1)");
  EXPECT_EQ(merged_facts(R"("a":1,"b":"x\n","c":[1,{"a":2}])", R"("b":"y","d":null)"),
            R"("a":1,"c":[1,{"a":2}],"b":"y","d":null)");
  EXPECT_EQ(merged_facts(R"("a":1)", R"("a":2)"), R"("a":2)");
  // Manifests have fields of these names, too: those of a source keep theirs.
  EXPECT_EQ(merged_facts(R"("source_begin":0.5,"key":"b")", R"("a":2)"),
            R"("source_begin":0.5,"key":"b","a":2)");
}

class TableJoinTest : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& content, const std::string& dataset = "") {
    folder_.write(name, content);
    tables_.push_back({.dataset = dataset, .path = folder_.file(name)});
  }

  testing::TemporaryFolder folder_;
  std::vector<TableFile> tables_;
};

TEST_F(TableJoinTest, LaterTablesKnowBetterAndEachOnlyOfItsDataset) {
  add("all", "key\ttext\tspeaker\nu\told\tA\nv\t\tB\n");
  add("a", "key\ttext\tspeaker\nu\tnew\tC\n", "a");
  read_tables(tables_, {});
  EXPECT_EQ(fields_in(tables_, "a", "u", "").text, "new");
  EXPECT_EQ(fields_in(tables_, "a", "u", "").facts, R"("speaker":"C")");
  EXPECT_EQ(fields_in(tables_, "b", "u", "").text, "old");
  EXPECT_EQ(fields_in(tables_, "b", "x", "v").facts, R"("speaker":"B")");
  EXPECT_EQ(fields_in(tables_, "b", "x", "v").text, "");
  EXPECT_EQ(fields_in(tables_, "b", "x", "").facts, "");
}

TEST_F(TableJoinTest, AnotherTableThanTheRecordedOneIsRefused) {
  add("t", "key\ttext\nu\tx\n");
  read_tables(tables_, {});
  std::vector<TableFile> again{{.path = tables_[0].path, .hash = tables_[0].hash}};
  EXPECT_NO_THROW(read_tables(again, {}));
  folder_.write("t", "key\ttext\nu\ty\n");
  again[0].table.reset();
  try {
    read_tables(again, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is not the table that"));
  }
}

}  // namespace
}  // namespace shardmill::pipeline
