#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/table_writer.hpp"
#include "shard/parquet/keys.hpp"

namespace shardmill::shard {
namespace {

using parquet::Value;
using parquet::ValueKind;
using ::testing::HasSubstr;

class ParquetReaderTest : public ::testing::Test {
 protected:
  ParquetReaderTest() {
    parquet::TableWriter table(
        {{"bytes", ValueKind::bytes, "audio"}, {"path", ValueKind::text, "audio"}, {"text"}}, {},
        [this](std::string_view piece) { bytes_ += piece; },
        {.rows = 4, .bytes = 100'000, .page_bytes = 600});
    for (int i = 0; i < 10; ++i) {
      const std::string audio = "RIFF" + std::string(400, static_cast<char>('a' + i));
      const std::string path = "u" + std::to_string(i) + ".wav";
      const std::string text = "text " + std::to_string(i);
      table.add(std::vector<Value>{i == 7 ? Value() : Value(std::string_view(audio)), std::string_view(path),
                                   std::string_view(text)});
    }
    table.finish();
  }
  base::File file() const { return base::memory_file(base::as_bytes(bytes_), "x.parquet"); }
  /// The tar from a restart point on; the restart point of each piece goes to `points`.
  static std::string tar_of(const base::File& file, const codec::RestartPoint& from = {},
                            std::vector<std::pair<codec::RestartPoint, std::size_t>>* points = nullptr) {
    const auto reader = open_parquet(file, from);
    std::string tar;
    while (const auto piece = reader->next()) {
      piece->prepare();
      if (points != nullptr) points->emplace_back(piece->restart_point(), tar.size());
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read())
        tar.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return tar;
  }

  std::string bytes_;
};

TEST_F(ParquetReaderTest, EachRowIsASample) {
  const base::File table = file();
  const std::string tar = tar_of(table);
  for (int i = 0; i < 10; ++i) {
    const std::string key = "u" + std::to_string(i);
    EXPECT_THAT(tar, HasSubstr(key + ".txt")) << i;
    EXPECT_THAT(tar, HasSubstr("text " + std::to_string(i))) << i;
    EXPECT_EQ(tar.find(key + ".wav" + std::string(1, '\0')) != tar.npos, i != 7) << i;
  }
  EXPECT_EQ(tar.size() % 512, 0U);
  EXPECT_EQ(tar.substr(tar.size() - 1024), std::string(1024, '\0'));
}

TEST_F(ParquetReaderTest, GoesOnAtEachPiece) {
  const base::File table = file();
  std::vector<std::pair<codec::RestartPoint, std::size_t>> points;
  const std::string whole = tar_of(table, {}, &points);
  EXPECT_GT(points.size(), 3U);
  for (const auto& [point, offset] : points) EXPECT_EQ(tar_of(table, point), whole.substr(offset)) << offset;
}

TEST_F(ParquetReaderTest, AFileWithoutAudioOrFooter) {
  EXPECT_THROW(tar_of(base::memory_file(base::as_bytes(std::string_view("PAR1")), "x.parquet")), Error);
  bytes_.clear();
  parquet::TableWriter table({{"text"}}, {}, [this](std::string_view piece) { bytes_ += piece; });
  table.finish();
  EXPECT_THROW(tar_of(file()), Error);
}

}  // namespace
}  // namespace shardmill::shard
