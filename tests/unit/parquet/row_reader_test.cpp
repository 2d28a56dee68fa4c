#include "parquet/row_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/table_writer.hpp"

namespace shardmill::parquet {
namespace {

using ::testing::HasSubstr;

/// Ten rows in groups of four, with a null in each column now and then.
std::string written_rows() {
  std::string bytes;
  TableWriter table({{"bytes", ValueKind::bytes, "audio"},
                     {"text"},
                     {"n", ValueKind::int64},
                     {"x", ValueKind::float64},
                     {"good", ValueKind::boolean}},
                    {{"key", "value"}}, [&](std::string_view piece) { bytes += piece; }, {.rows = 4});
  for (std::int64_t i = 0; i < 10; ++i) {
    const std::string text = "row " + std::to_string(i) + " \"\n";
    const Value number = i == 3 ? Value() : Value(-i);
    table.add(std::vector<Value>{std::string_view("\xff\xfe"),
                                 i == 5 ? Value() : Value(std::string_view(text)), number,
                                 0.5 * static_cast<double>(i), i % 2 == 0});
  }
  table.finish();
  return bytes;
}

std::vector<std::string> fields_of(const std::vector<Field>& row) {
  std::vector<std::string> fields;
  for (const Field& field : row) fields.push_back(field.json);
  return fields;
}

TEST(RowReader, ReadsWhatTheWriterWrites) {
  const std::string bytes = written_rows();
  const base::File file = base::memory_file(base::as_bytes(bytes), "x.parquet");
  const FileMetadata metadata = read_file_metadata(file);
  EXPECT_EQ(metadata.rows, 10u);
  EXPECT_EQ(metadata.groups.size(), 3u);
  EXPECT_EQ(metadata.path_of(0), "audio.bytes");
  EXPECT_EQ(metadata.notes.front().second, "value");
  std::int64_t row = 0;
  for (std::size_t group = 0; group < 3; ++group) {
    RowReader reader(file, metadata, group, metadata.table().children, 1 << 20);
    for (std::uint64_t i = 0; i < metadata.groups[group].rows; ++i, ++row) {
      const auto fields = fields_of(reader.next());
      const std::string text = row == 5 ? "null" : "\"row " + std::to_string(row) + " \\\"\\n\"";
      EXPECT_EQ(fields[0], "{\"bytes\":null}");  // bytes that are no text
      EXPECT_EQ(fields[1], text);
      EXPECT_EQ(fields[2], row == 3 ? "null" : std::to_string(-row));
      EXPECT_EQ(std::stod(fields[3]), 0.5 * static_cast<double>(row));
      EXPECT_EQ(fields[4], row % 2 == 0 ? "true" : "false");
    }
    EXPECT_THROW(reader.next(), Error);
  }
}

TEST(RowReader, GoesOnAtALaterRow) {
  const std::string bytes = written_rows();
  const base::File file = base::memory_file(base::as_bytes(bytes), "x.parquet");
  const FileMetadata metadata = read_file_metadata(file);
  for (std::uint64_t to = 0; to < 4; ++to) {
    RowReader all(file, metadata, 0, metadata.table().children, 1 << 20);
    for (std::uint64_t i = 0; i < to; ++i) all.next();
    RowReader late(file, metadata, 0, metadata.table().children, 1 << 20);
    late.skip_to(to);
    EXPECT_EQ(late.row(), to);
    EXPECT_EQ(fields_of(late.next()), fields_of(all.next()));
  }
}

TEST(RowReader, RefusesAPageThatIsTooLarge) {
  const std::string bytes = written_rows();
  const base::File file = base::memory_file(base::as_bytes(bytes), "x.parquet");
  const FileMetadata metadata = read_file_metadata(file);
  RowReader reader(file, metadata, 0, metadata.table().children, 10);
  try {
    reader.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where().path, "x.parquet");
    EXPECT_THAT(error.what(), HasSubstr("column 'audio.bytes'"));
    EXPECT_THAT(error.what(), HasSubstr("10 B"));
  }
}

TEST(FileMetadata, EveryCutAndEveryChangeOfTheFooterGivesAnErrorOrATable) {
  const std::string bytes = written_rows();
  const auto read = [](const std::string& content) {
    const base::File file = base::memory_file(base::as_bytes(content), "x.parquet");
    try {
      const FileMetadata metadata = read_file_metadata(file);
      for (const RowGroup& group : metadata.groups) {
        for (const Chunk& chunk : group.chunks) EXPECT_LE(chunk.begin + chunk.bytes, metadata.footer_begin);
      }
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.where().path, "x.parquet");
      EXPECT_TRUE(error.where().offset);
      return false;
    }
  };
  EXPECT_TRUE(read(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(read(bytes.substr(0, size))) << size;
  for (std::size_t at = bytes.size() - 700; at < bytes.size(); ++at) {
    for (const char change : {'\x01', '\x7f', '\x80'}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      read(changed);
    }
  }
}

struct AsJson {
  SchemaNode column;
  Scalar value;
  std::string json;
};

TEST(ScalarJson, ByMeaning) {
  const auto column = [](Physical type, Meaning meaning, std::int32_t scale = 0,
                         Unit unit = Unit::milliseconds) {
    SchemaNode node;
    node.type = type;
    node.meaning = meaning;
    node.scale = scale;
    node.unit = unit;
    node.fixed_bytes = 16;
    return node;
  };
  const auto bytes = [](std::string_view text) { return Scalar{.bytes = base::as_bytes(text)}; };
  using namespace std::string_view_literals;
  const std::vector<AsJson> all{
      {column(Physical::int32, Meaning::date), {.integer = 19782}, "\"2024-02-29\""},
      {column(Physical::int32, Meaning::date), {.integer = -1}, "\"1969-12-31\""},
      {column(Physical::int64, Meaning::timestamp), {.integer = -1}, "\"1969-12-31T23:59:59.999\""},
      {column(Physical::int64, Meaning::timestamp, 0, Unit::nanoseconds),
       {.integer = 1},
       "\"1970-01-01T00:00:00.000000001\""},
      {column(Physical::int32, Meaning::time), {.integer = 3'723'004}, "\"01:02:03.004\""},
      {column(Physical::int32, Meaning::decimal, 2), {.integer = -5}, "-0.05"},
      {column(Physical::int64, Meaning::decimal), {.integer = INT64_MIN}, "-9223372036854775808"},
      {column(Physical::byte_array, Meaning::decimal, 3), bytes("\xff\x00"sv), "-0.256"},
      {column(Physical::fixed_bytes, Meaning::decimal), bytes("\x01\x00\x00\x00\x00\x00\x00\x00\x00"sv),
       "18446744073709551616"},
      {column(Physical::int32, Meaning::unsigned_integer), {.integer = -1}, "4294967295"},
      {column(Physical::int64, Meaning::unsigned_integer), {.integer = -1}, "18446744073709551615"},
      {column(Physical::float32, Meaning::plain), {.real = static_cast<double>(0.1F)}, "0.1"},
      {column(Physical::float32, Meaning::plain), {.real = 2}, "2.0"},
      {column(Physical::fixed_bytes, Meaning::float16), bytes("\x00\x3e"sv), "1.5"},
      {column(Physical::fixed_bytes, Meaning::uuid),
       bytes("\x12\x34\x56\x78\x9a\xbc\xde\xf0\x12\x34\x56\x78\x9a\xbc\xde\xf0"sv),
       "\"12345678-9abc-def0-1234-56789abcdef0\""},
      {column(Physical::int96, Meaning::plain), bytes("\x00\x00\x00\x00\x00\x00\x00\x00\x8c\x3d\x25\x00"sv),
       "\"1970-01-01T00:00:00.000000000\""},
      {column(Physical::byte_array, Meaning::plain), bytes("text"sv), "\"text\""},
      {column(Physical::byte_array, Meaning::plain), bytes("\xff"sv), "null"},
      {column(Physical::fixed_bytes, Meaning::plain), bytes("text"sv), "null"},
  };
  for (const AsJson& each : all) {
    std::string json;
    EXPECT_EQ(append_json(json, each.column, each.value), each.json != "null");
    EXPECT_EQ(json, each.json);
  }
}

}  // namespace
}  // namespace shardmill::parquet
