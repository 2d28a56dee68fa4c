#include "parquet/table_writer.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::parquet {

namespace {

/// What a table of one column becomes, and in how many pieces.
struct WrittenTable {
  std::string bytes;
  std::size_t largest_piece = 0;

  Sink sink() {
    return [this](std::string_view piece) {
      bytes += piece;
      largest_piece = std::max(largest_piece, piece.size());
    };
  }
};

std::size_t count_of(std::string_view word, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(TableWriter, ATableWithoutRows) {
  WrittenTable written;
  TableWriter table({{"a", ValueKind::text}}, {}, written.sink());
  table.finish();
  EXPECT_TRUE(written.bytes.starts_with("PAR1"));
  EXPECT_TRUE(written.bytes.ends_with("PAR1"));
}

TEST(TableWriter, PagesOfTheFirstColumnDoNotWaitForTheGroup) {
  WrittenTable written;
  TableWriter table({{"bytes", ValueKind::bytes}, {"number", ValueKind::int64}}, {}, written.sink(),
                    {.rows = 100, .bytes = 10'000, .page_bytes = 1000});
  const std::string value(600, 'x');
  for (std::int64_t i = 0; i < 4; ++i) table.add(std::vector<Value>{std::string_view(value), i});
  EXPECT_EQ(count_of(value, written.bytes), 4u);
  EXPECT_LT(written.largest_piece, 1300u);
  EXPECT_GT(written.bytes.size(), 2400u);
}

TEST(TableWriter, AGroupEndsBeforeItIsTooLarge) {
  WrittenTable written;
  TableWriter table({{"group_column", ValueKind::bytes}}, {}, written.sink(),
                    {.rows = 100, .bytes = 1000, .page_bytes = 100'000});
  const std::string value(400, 'x');
  for (int i = 0; i < 5; ++i) table.add(std::vector<Value>{std::string_view(value)});
  table.finish();
  EXPECT_EQ(count_of("group_column", written.bytes), 1u + 3u);  // in the schema, and in each group
}

TEST(TableWriter, NullsTakeNoPlaceAmongTheValues) {
  const auto bytes_with = [](const std::vector<Value>& values) {
    WrittenTable written;
    TableWriter table({{"a", ValueKind::float64}}, {}, written.sink());
    for (const Value& value : values) table.add(std::span(&value, 1));
    table.finish();
    return written.bytes.size();
  };
  EXPECT_EQ(bytes_with({1.0, 1.0}), bytes_with({1.0, {}}) + 8 - 2);  // and a run of levels more
}

TEST(TableWriter, AValueThatIsTooLargeForTheForm) {
  WrittenTable written;
  TableWriter table({{"a", ValueKind::bytes}}, {}, written.sink());
  const char byte = 'x';
  const std::string_view huge(&byte, kHighestValueBytes + 1);  // only its size is looked at
  EXPECT_THROW(table.add(std::vector<Value>{huge}), Error);
}

}  // namespace

}  // namespace shardmill::parquet
