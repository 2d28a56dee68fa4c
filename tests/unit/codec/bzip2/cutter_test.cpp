#include "codec/bzip2/cutter.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
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
}  // namespace shardmill::codec
