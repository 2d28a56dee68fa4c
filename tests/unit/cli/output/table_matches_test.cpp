#include "cli/output/table_matches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json tables_json(const std::vector<repack::TableMatch>& tables) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  write_tables(json, tables);
  json.end_object();
  return nlohmann::json::parse(text);
}

TEST(TableMatches, NothingIsSaidWithoutTables) {
  EXPECT_EQ(tables_as_text({}), "");
  EXPECT_EQ(tables_json({}), nlohmann::json::object());
}

TEST(TableMatches, ATableThatFitsIsOneRow) {
  const std::string text = tables_as_text({{.path = "a.csv", .rows = 1200, .matched_samples = 1}});
  EXPECT_THAT(text, HasSubstr("a.csv: 1,200 rows, for 1 sample\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(TableMatches, RowsAndSamplesWithoutEachOtherAreNamed) {
  const std::vector<repack::TableMatch> tables{{.path = "a.csv",
                                                .rows = 10,
                                                .matched_samples = 8,
                                                .rows_without_sample = 2,
                                                .first_rows = {"k1", "k2"},
                                                .samples_without_row = 5,
                                                .first_samples = {"s1", "s\n2"}}};
  const std::string text = tables_as_text(tables);
  EXPECT_THAT(text, HasSubstr("2 rows without a sample: k1, k2\n"));
  EXPECT_THAT(text, HasSubstr("5 samples without a row: s1, "));
  EXPECT_THAT(text, HasSubstr(", ...\n"));
  EXPECT_THAT(text, Not(HasSubstr("s\n2"))) << "a key must not break the line";
  EXPECT_EQ(tables_json(tables), nlohmann::json::parse(R"({"metadata": [{"path": "a.csv", "rows": 10,
      "samples": 8, "samples_without_row": 5, "rows_without_sample": 2}]})"));
}

TEST(TableMatches, WhatIsNotKnownExactlyIsNotSaid) {
  const std::vector<repack::TableMatch> tables{
      {.path = "a.csv", .rows = 10, .rows_without_sample = 2, .is_exact = false}};
  EXPECT_THAT(tables_as_text(tables), Not(HasSubstr("without a sample")));
  EXPECT_FALSE(tables_json(tables)["metadata"][0].contains("rows_without_sample"));
}

}  // namespace
}  // namespace shardmill::cli
