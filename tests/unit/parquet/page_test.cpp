#include "parquet/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/table_writer.hpp"

namespace shardmill::parquet {
namespace {

using ::testing::HasSubstr;

class PageTest : public ::testing::Test {
 protected:
  PageTest() {
    TableWriter table({{"a", ValueKind::text}}, {}, [this](std::string_view piece) { bytes_ += piece; },
                      {.rows = 100, .bytes = 100'000, .page_bytes = 200});
    const std::string text(90, 'x');
    for (int i = 0; i < 10; ++i) table.add(std::vector<Value>{std::string_view(text)});
    table.finish();
    file_ = base::memory_file(base::as_bytes(bytes_), "x.parquet");
    chunk_ = read_file_metadata(file_).groups.front().chunks.front();
  }
  /// The values of each page, and the problem that ends them.
  std::string walk(const Chunk& chunk) {
    std::string found;
    PageWalk pages(file_, chunk);
    try {
      while (const auto page = pages.next()) found += std::to_string(page->values) + " ";
    } catch (const Error& error) {
      return found + error.what();
    }
    return found;
  }

  std::string bytes_;
  base::File file_;
  Chunk chunk_;
};

TEST_F(PageTest, AllPagesOfAChunk) {
  EXPECT_EQ(walk(chunk_), "3 3 3 1 ");
}

TEST_F(PageTest, ChunksThatLie) {
  Chunk more = chunk_;
  more.values = 11;
  EXPECT_THAT(walk(more), HasSubstr("is missing: the column has 10 values up to here, and should have 11"));
  Chunk fewer = chunk_;
  fewer.values = 8;
  EXPECT_THAT(walk(fewer), HasSubstr("3 3 x.parquet"));
  EXPECT_THAT(walk(fewer), HasSubstr("has more values than its column"));
  Chunk cut = chunk_;
  cut.bytes -= 1;
  EXPECT_THAT(walk(cut), HasSubstr("reaches beyond the end of its column"));
}

TEST_F(PageTest, TheBytesOfAPage) {
  PageWalk pages(file_, chunk_);
  const PageHeader first = pages.next().value();
  const PageBody body = load_page(file_, first, Packing::none);
  EXPECT_EQ(body.bytes.size(), first.plain_bytes);
  PageHeader wrong = first;
  wrong.crc = 0x12345678;
  EXPECT_THROW(load_page(file_, wrong, Packing::none), Error);
  EXPECT_THROW(load_page(file_, first, Packing::snappy), Error);
}

}  // namespace
}  // namespace shardmill::parquet
