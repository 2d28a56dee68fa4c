#include "shard/parquet/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/table_writer.hpp"

namespace shardmill::shard {
namespace {

using parquet::Value;
using parquet::ValueKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ParquetKeysTest : public ::testing::Test {
 protected:
  void write(std::vector<parquet::Column> columns, const std::vector<std::vector<Value>>& rows) {
    bytes_.clear();
    parquet::TableWriter table(std::move(columns), {}, [this](std::string_view piece) { bytes_ += piece; });
    for (const auto& row : rows) table.add(row);
    table.finish();
    file_ = base::memory_file(base::as_bytes(bytes_), "d/train-00000.v1.parquet");
    metadata_ = parquet::read_file_metadata(file_);
  }
  std::string problem() const {
    try {
      choose_columns(metadata_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }
  /// Of the leaf that gives the keys, or the key of row 1.
  std::string keys() const {
    const ParquetKeys keys(file_, metadata_, choose_columns(metadata_));
    return keys.leaf() ? metadata_.path_of(*keys.leaf()) : keys.key_of(1);
  }

  std::string bytes_;
  base::File file_;
  parquet::FileMetadata metadata_;
};

constexpr std::string_view kAudio = "RIFF";

TEST_F(ParquetKeysTest, AColumnInWhichNoTwoRowsAreAlike) {
  const std::vector<parquet::Column> columns{{"bytes", ValueKind::bytes, "audio"},
                                             {"path", ValueKind::text, "audio"},
                                             {"id", ValueKind::int64},
                                             {"text", ValueKind::text}};
  const auto row = [](std::string_view path, Value id) { return std::vector<Value>{kAudio, path, id, "t"}; };
  using namespace std::string_view_literals;
  write(columns, {row("x/a.wav"sv, std::int64_t{1}), row("x/b.wav"sv, std::int64_t{1})});
  EXPECT_EQ(keys(), "audio.path");
  // The same name in two folders is one key.
  write(columns, {row("x/a.wav"sv, std::int64_t{1}), row("y/a.mp3"sv, std::int64_t{2})});
  EXPECT_EQ(keys(), "id");
  write(columns, {row("x/a.wav"sv, std::int64_t{1}), row("y/a.wav"sv, Value())});
  EXPECT_EQ(keys(), "train-00000_v1_1");
}

TEST_F(ParquetKeysTest, ColumnsByTheirNames) {
  write({{"bytes", ValueKind::bytes, "audio"},
         {"sentence", ValueKind::text},
         {"text", ValueKind::text},
         {"client_id", ValueKind::text}},
        {});
  const ParquetColumns columns = choose_columns(metadata_);
  EXPECT_EQ(metadata_.nodes[columns.others.at(columns.text.value())].name, "text");
  EXPECT_EQ(metadata_.nodes[columns.others.at(columns.speaker.value())].name, "client_id");
  EXPECT_FALSE(columns.path.has_value());
}

TEST_F(ParquetKeysTest, TablesWithoutOneColumnOfAudio) {
  write({{"text", ValueKind::text}, {"n", ValueKind::int64}}, {});
  EXPECT_THAT(problem(), HasSubstr("its columns are text, n"));
  write({{"bytes", ValueKind::bytes, "one"}, {"bytes", ValueKind::bytes, "two"}}, {});
  EXPECT_THAT(problem(), HasSubstr("several columns may hold the audio: one, two"));
  write({{"audio", ValueKind::bytes}, {"bytes", ValueKind::bytes, "image"}}, {});
  EXPECT_EQ(problem(), "no problem");
  EXPECT_THAT(choose_columns(metadata_).left_out, ElementsAre("image"));
}

}  // namespace
}  // namespace shardmill::shard
