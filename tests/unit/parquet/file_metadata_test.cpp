#include "parquet/file_metadata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/table_writer.hpp"

namespace shardmill::parquet {
namespace {

using ::testing::HasSubstr;

std::string made_table() {
  std::string bytes;
  TableWriter table(
      {{"bytes", ValueKind::bytes, "audio"}, {"path", ValueKind::text, "audio"}, {"n", ValueKind::int64}},
      {{"k", "v"}}, [&](std::string_view piece) { bytes += piece; }, {.rows = 2});
  for (std::int64_t i = 0; i < 5; ++i)
    table.add(std::vector<Value>{std::string_view("xyz"), std::string_view("p"), i});
  table.finish();
  return bytes;
}

std::string problem_of(const std::string& bytes) {
  try {
    read_file_metadata(base::memory_file(base::as_bytes(bytes), "x.parquet"));
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(FileMetadataTest, ColumnsAndGroups) {
  const std::string bytes = made_table();
  EXPECT_TRUE(has_parquet_magic(base::as_bytes(bytes)));
  const FileMetadata metadata = read_file_metadata(base::memory_file(base::as_bytes(bytes), "x.parquet"));
  EXPECT_EQ(metadata.rows, 5U);
  ASSERT_EQ(metadata.groups.size(), 3U);
  EXPECT_EQ(metadata.groups[2].rows, 1U);
  EXPECT_EQ(metadata.groups[0].chunks.size(), 3U);
  EXPECT_EQ(metadata.path_of(1), "audio.path");
  EXPECT_EQ(metadata.leaf(2).type, Physical::int64);
  EXPECT_EQ(metadata.leaf(1).definition, 2U);
  EXPECT_LT(metadata.groups[2].chunks[2].begin, metadata.footer_begin);
}

TEST(FileMetadataTest, FilesThatAreCutOrEncrypted) {
  const std::string bytes = made_table();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{4}, std::size_t{11}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_NE(problem_of(bytes.substr(0, size)), "no problem") << size;
  std::string encrypted = bytes;
  encrypted.replace(bytes.size() - 4, 4, "PARE");
  EXPECT_THAT(problem_of(encrypted), HasSubstr("encrypted"));
  EXPECT_EQ(problem_of(bytes), "no problem");
}

/// Whatever bit is wrong in the footer, nothing is outside of the file.
TEST(FileMetadataTest, EachBitOfTheFooter) {
  const std::string good = made_table();
  const FileMetadata before = read_file_metadata(base::memory_file(base::as_bytes(good), "x.parquet"));
  for (std::size_t bit = before.footer_begin * 8; bit < good.size() * 8; ++bit) {
    std::string bytes = good;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    try {
      const FileMetadata metadata = read_file_metadata(base::memory_file(base::as_bytes(bytes), "x.parquet"));
      for (const RowGroup& group : metadata.groups) {
        for (const Chunk& chunk : group.chunks) ASSERT_LE(chunk.begin + chunk.bytes, bytes.size()) << bit;
      }
    } catch (const Error&) {
      // Most bits are noticed.
    }
  }
}

}  // namespace
}  // namespace shardmill::parquet
