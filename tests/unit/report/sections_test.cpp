#include "report/sections.hpp"

#include <gtest/gtest.h>

#include <set>

namespace shardmill::report {

namespace {

manifest::DatasetRecord datasets(std::size_t count) {
  manifest::DatasetRecord record;
  for (std::size_t i = 0; i < count; ++i)
    record.datasets.push_back({.dataset = "d" + std::to_string(i), .seconds = static_cast<double>(i + 1)});
  return record;
}

TEST(Series, EachDatasetHasItsColourAsLongAsThereAreAny) {
  const auto series = series_of(datasets(7));
  std::set<std::string_view> tones;
  for (const Series& one : series) tones.insert(one.tone);
  EXPECT_EQ(series.size(), 7u);
  EXPECT_EQ(tones.size(), 7u);
}

TEST(Series, TheSmallestShareOneColour) {
  const auto series = series_of(datasets(10));
  ASSERT_EQ(series.size(), 8u);
  EXPECT_EQ(series.back().label, "3 others");
  for (const char* small : {"d0", "d1", "d2"}) EXPECT_TRUE(series.back().holds(small)) << small;
  EXPECT_EQ(series.front().label, "d3");  // in the order of the datasets, not of size
  EXPECT_FALSE(series.front().holds("d4"));
}

TEST(Table, HoldsHostileTextAsText) {
  std::string html;
  page::MarkupWriter writer(html);
  add_table(writer, {{"<h>", false}, {"n", true}}, {{"<script>", Cell("7", "d0")}});
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script>"), html.find("&lt;script&gt;"));  // one of the two stands there
  EXPECT_NE(html.find("swatch d0"), std::string::npos);
}

TEST(Figures, ReadWell) {
  EXPECT_EQ(exact_seconds(2298.461), "2,298.461 s");
  EXPECT_EQ(exact_seconds(0.9996), "1.000 s");
  EXPECT_EQ(format_spread(0), "0 ms");
  EXPECT_EQ(format_spread(0.0088), "8.8 ms");
  EXPECT_EQ(format_percent(0.123), "12.3%");
  EXPECT_EQ(format_percent(0), "0%");
  EXPECT_EQ(format_percent(4e-6), "0.00040%");
  EXPECT_EQ(format_range("shard", 3, 4), "shard 3");
  EXPECT_EQ(format_range("shard", 4, 8), "shards 4 to 7");
  EXPECT_EQ(time_unit(59.9).name, "seconds");
  EXPECT_EQ(time_unit(60).name, "minutes");
  EXPECT_EQ(time_unit(3600).seconds, 3600);
}

}  // namespace

}  // namespace shardmill::report
