#include "codec/bzip2/cutter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "codec/bzip2/bit_string.hpp"
#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/codec_files.hpp"
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

namespace {

using shardmill::testing::TemporaryFolder;

/// Every bit at which a block's magic stands.
std::vector<std::uint64_t> magics(const std::string& file) {
  std::vector<std::uint64_t> found;
  std::uint64_t last48 = 0;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const auto byte = static_cast<unsigned char>(file[bit / 8]);
    last48 = (last48 << 1 | (byte >> (7 - bit % 8) & 1U)) & 0xffffffffffff;
    if (bit >= 47 && last48 == kBzip2BlockMagic) found.push_back(bit - 47);
  }
  return found;
}

std::vector<std::shared_ptr<const Bzip2Segment>> cut(base::File& file) {
  Bzip2Cutter cutter{Input(file)};
  std::vector<std::shared_ptr<const Bzip2Segment>> all;
  while (auto segment = cutter.next()) all.push_back(std::move(segment));
  return all;
}

TEST(Bzip2Cutter, CutsAtEveryMagicAndNowhereElse) {
  const TemporaryFolder folder;
  const std::string packed = testing::through("bzip2 -1c", testing::text_like(900'000)) +
                             testing::through("bzip2 -1c", testing::noise(250'000));
  base::File file = base::File::open_read(folder.write("a.bz2", packed));
  const auto segments = cut(file);
  std::vector<std::uint64_t> blocks;
  std::uint64_t whole_bytes = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Bzip2Segment& segment = *segments[i];
    if (segment.block_bit) blocks.push_back(*segment.block_bit);
    whole_bytes += segment.whole_bytes;
    EXPECT_EQ(packed.compare(segment.first_byte, segment.bytes().size(),
                             reinterpret_cast<const char*>(segment.bytes().data()), segment.bytes().size()),
              0);
    EXPECT_EQ(segment.last, i + 1 == segments.size());
    if (!segment.last) {
      EXPECT_EQ(segment.end_bit, segments[i + 1]->begin_bit());
    }
    EXPECT_GE(segment.first_byte * 8 + segment.bytes().size() * 8, segment.end_bit);
  }
  EXPECT_EQ(blocks, magics(packed));
  EXPECT_EQ(whole_bytes, packed.size());
}

TEST(Bzip2Cutter, LookingAheadChangesNothing) {
  const TemporaryFolder folder;
  base::File file = base::File::open_read(
      folder.write("a.bz2", testing::through("bzip2 -1c", testing::text_like(1'500'000))));
  const auto alone = cut(file);
  base::File again = base::File::open_read(file.path());
  Bzip2Cutter cutter{Input(again)};
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const auto segment = cutter.next();
    ASSERT_NE(segment, nullptr);
    EXPECT_EQ(segment->begin_bit(), alone[i]->begin_bit());
    // As many ahead as there are.
    auto ahead = cutter.after(*segment);
    for (std::size_t j = i + 1; j < alone.size() && j < i + 4; ++j) {
      ASSERT_NE(ahead, nullptr);
      EXPECT_EQ(ahead->begin_bit(), alone[j]->begin_bit());
      ahead = cutter.after(*ahead);
    }
    if (i + 1 == alone.size()) {
      EXPECT_EQ(ahead, nullptr);
    }
  }
  EXPECT_EQ(cutter.next(), nullptr);
}

TEST(Bzip2Cutter, BytesWithoutABlockAreCutSmallAndAreAllThere) {
  const TemporaryFolder folder;
  const std::string garbage(2 * kBzip2MaxPackedBytes + 12345, 'g');
  base::File file = base::File::open_read(folder.write("a", garbage));
  std::uint64_t bytes = 0;
  for (const auto& segment : cut(file)) {
    EXPECT_FALSE(segment->block_bit);
    EXPECT_LE(segment->bytes().size(), kBzip2MaxPackedBytes + Bzip2Segment::kOverlapBytes + 8);
    bytes += segment->whole_bytes;
  }
  EXPECT_EQ(bytes, garbage.size());
}

}  // namespace

namespace {

using testing::text_like;
using testing::through;

/// Reads a file through cutter, block decoder and stream. The stream is saved and restored at every step.
/// Returns its streams and levels, "9 1 ", or the problem.
std::string read(const std::string& bytes, bool ignores_garbage = false) {
  const shardmill::testing::TemporaryFolder folder;
  base::File file = base::File::open_read(folder.write("a.bz2", bytes));
  Bzip2Cutter cutter{Input(file)};
  Bzip2Stream stream("a.bz2", ignores_garbage);
  Bzip2BlockDecoder decoder;
  Bzip2Block block;
  std::string seen;
  std::uint64_t streams = 0;
  try {
    while (const auto segment = cutter.next()) {
      if (segment->block_bit && stream.expects_block_at(*segment->block_bit)) {
        decoder.decode({.input = segment->bytes(), .start_bit = segment->local(*segment->block_bit)}, block);
        if (block.state != Bzip2Block::State::good) return "bad block";
        stream.passed_block(block.end_bit + segment->first_byte * 8, block.stored_crc);
      }
      base::BinaryWriter out;
      stream.save(out);
      Bzip2Stream restored("a.bz2", ignores_garbage);
      const auto saved = out.take();
      base::BinaryReader in(saved);
      restored.restore(in);
      EXPECT_TRUE(in.at_end());
      stream = restored;
      stream.pass(*segment);
      if (stream.streams() > streams) seen += std::to_string(stream.level()) + " ";
      streams = stream.streams();
    }
  } catch (const Error& error) {
    return error.problem();
  }
  if (stream.garbage_offset()) seen += "garbage at " + std::to_string(*stream.garbage_offset());
  return seen;
}

TEST(Bzip2Stream, FollowsStreamsOfAllLevels) {
  EXPECT_EQ(read(through("bzip2 -1c", text_like(500'000)) + through("bzip2 -9c", text_like(1'000'000))),
            "1 9 ");
}

TEST(Bzip2Stream, AWrongChecksumOfTheWholeStreamIsFound) {
  std::string packed = through("bzip2 -1c", text_like(300'000));
  // Its 32 bits end up to seven bits before the end.
  packed[packed.size() - 3] = static_cast<char>(packed[packed.size() - 3] ^ 1);
  EXPECT_NE(read(packed).find("checksum"), std::string::npos) << read(packed);
}

TEST(Bzip2Stream, GarbageIsDamageUnlessItIsIgnored) {
  const std::string packed = through("bzip2 -1c", text_like(1000));
  EXPECT_EQ(read(packed + std::string(5, '\0')), "1 ");
  EXPECT_EQ(read(packed + "garbage", true), "1 garbage at " + std::to_string(packed.size()));
  EXPECT_TRUE(read(packed + "garbage").starts_with("damaged")) << read(packed + "garbage");
}

TEST(Bzip2Stream, EveryCutIsAnError) {
  const std::string packed = through("bzip2 -1c", text_like(200));
  for (std::size_t cut = 1; cut < packed.size(); ++cut) {
    const std::string said = read(packed.substr(0, cut));
    EXPECT_TRUE(said.starts_with("truncated") || said == "bad block") << cut << ": " << said;
  }
}

}  // namespace
}  // namespace shardmill::codec
