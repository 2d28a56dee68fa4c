#include "codec/bzip2/chunk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "codec/bzip2/bit_string.hpp"
#include "codec/bzip2/block.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using ::testing::ElementsAre;

/// Zeros, with the magic of a block at these bits.
std::string zeros_with_magics(std::size_t bytes, std::vector<std::uint64_t> at) {
  testing::BitString bits;
  for (const std::uint64_t bit : at) {
    while (bits.size() < bit) bits.put(0, 1);
    bits.put(kBzip2BlockMagic, 48);
  }
  while (bits.size() < 8 * bytes) bits.put(0, 1);
  return bits.bytes();
}

class Bzip2ChunkTest : public ::testing::Test {
 protected:
  base::File file_of(const std::string& content) {
    return base::File::open_read(folder.write("file", content));
  }
  std::shared_ptr<Bzip2ChunkPool> buffers = Bzip2ChunkPool::make();
  shardmill::testing::TemporaryFolder folder;
};

TEST_F(Bzip2ChunkTest, FindsMagicsAtAnyBitCountedFromTheStartOfTheFile) {
  const auto file = file_of(zeros_with_magics(1000, {803, 4000, 7952}));
  Bzip2Chunk chunk(file, *buffers, 100, 1000, 0);
  EXPECT_FALSE(chunk.is_begun());
  chunk.load();
  EXPECT_TRUE(chunk.is_begun());
  EXPECT_EQ(chunk.offset(), 100U);
  EXPECT_EQ(chunk.end(), 1000U);
  EXPECT_EQ(chunk.bytes().size(), 900U);
  EXPECT_THAT(chunk.blocks(), ElementsAre(803, 4000, 7952));
}

TEST_F(Bzip2ChunkTest, ChunksThatOverlapShareTheMagicsOut) {
  // Around the border of two chunks, every bit where a magic can begin.
  for (std::uint64_t bit = 500 * 8 - 60; bit < 500 * 8 + 60; ++bit) {
    const auto file = file_of(zeros_with_magics(1000, {bit}));
    Bzip2Chunk first(file, *buffers, 0, 500, 0);
    Bzip2Chunk second(file, *buffers, 500 - kBzip2ChunkOverlap, 1000, kBzip2ChunkOverlap);
    first.load();
    second.load();
    std::vector<std::uint64_t> all(first.blocks().begin(), first.blocks().end());
    all.insert(all.end(), second.blocks().begin(), second.blocks().end());
    ASSERT_THAT(all, ElementsAre(bit));
  }
}

TEST_F(Bzip2ChunkTest, EndsWhereTheFileEnds) {
  const auto file = file_of(zeros_with_magics(300, {8 * 250, 8 * 290}));
  Bzip2Chunk chunk(file, *buffers, 200, 600, 0);
  EXPECT_EQ(chunk.promised_end(), 600U);
  chunk.load();
  EXPECT_EQ(chunk.end(), 300U);
  EXPECT_THAT(chunk.blocks(), ElementsAre(8 * 250, 8 * 290));
}

TEST_F(Bzip2ChunkTest, TakesBytesThatWereReadAlready) {
  const std::string content = zeros_with_magics(64, {17});
  auto buffer = buffers->take();
  std::ranges::copy(base::as_bytes(content), buffer->bytes.begin());
  Bzip2Chunk chunk(std::move(buffer), content.size(), 1 << 20, 0);
  EXPECT_EQ(chunk.promised_end(), (1U << 20) + 64);
  chunk.load();
  EXPECT_EQ(chunk.end(), chunk.promised_end());
  EXPECT_THAT(chunk.blocks(), ElementsAre(8 * (std::uint64_t{1} << 20) + 17));
}

TEST_F(Bzip2ChunkTest, IsSearchedOnceWhoeverLoadsIt) {
  const auto file = file_of(zeros_with_magics(5000, {8, 9000, 30'001}));
  Bzip2Chunk chunk(file, *buffers, 0, 5000, 0);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { chunk.load(); });
  }
  chunk.load();
  EXPECT_THAT(chunk.blocks(), ElementsAre(8, 9000, 30'001));
}

}  // namespace
}  // namespace shardmill::codec
