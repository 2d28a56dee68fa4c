#include "pipeline/table_join.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

using ::testing::HasSubstr;

TEST(MergedFacts, TheNewerReplaceThoseOfTheSameName) {
  EXPECT_EQ(merged_facts("", ""), "");
  EXPECT_EQ(merged_facts(R"("a":1)", ""), R"("a":1)");
  EXPECT_EQ(merged_facts("", R"("a":1)"), R"("a":1)");
  EXPECT_EQ(merged_facts(R"("a":1,"b":"x\n","c":[1,{"a":2}])", R"("b":"y","d":null)"),
            R"("a":1,"c":[1,{"a":2}],"b":"y","d":null)");
  EXPECT_EQ(merged_facts(R"("a":1)", R"("a":2)"), R"("a":2)");
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
