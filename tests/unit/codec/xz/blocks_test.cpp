#include "codec/xz/blocks.hpp"

#include <gtest/gtest.h>

#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using shardmill::testing::TemporaryFolder;
using testing::noise;
using testing::text_like;
using testing::through;

XzBlocks list(const std::string& file) {
  const TemporaryFolder folder;
  return list_xz_blocks(base::File::open_read(folder.write("file.xz", file)));
}

XzPlain decode(const std::string& file, const XzBlock& block) {
  return decode_xz_block(block, base::as_bytes(file).subspan(block.offset, block.bytes));
}

std::string text_of(const XzPlain& plain) {
  return {reinterpret_cast<const char*>(plain.bytes.get()), plain.size};
}

TEST(XzBlocks, AreListedWithTheirPlaces) {
  const std::string plain = text_like(250'000);
  const std::string file = through("xz -0c -T1 --block-size=100000", plain);
  const XzBlocks all = list(file);
  ASSERT_EQ(all.blocks.size(), 3U);
  EXPECT_EQ(all.streams, 1U);
  EXPECT_EQ(all.blocks[2].plain_bytes, 50'000U);
  std::string joined;
  for (const XzBlock& block : all.blocks) {
    EXPECT_EQ(block.stream, 1U);
    const XzPlain part = decode(file, block);
    EXPECT_EQ(part.problem, "");
    joined += text_of(part);
  }
  EXPECT_TRUE(joined == plain);
}

TEST(XzBlocks, OfSeveralStreamsWithPaddingBetweenThem) {
  const std::string one = through("xz -0c", noise(1000));
  const std::string empty = through("xz -0c", "");
  const XzBlocks all = list(one + std::string(8, '\0') + empty + one);
  ASSERT_EQ(all.blocks.size(), 2U);
  EXPECT_EQ(all.streams, 3U);
  EXPECT_EQ(all.blocks[0].stream, 1U);
  EXPECT_EQ(all.blocks[1].stream, 3U);
  EXPECT_EQ(all.blocks[1].offset, one.size() + 8 + empty.size() + all.blocks[0].offset);
}

TEST(XzBlocks, NothingIsListedOfWhatIsNotWhole) {
  const std::string file = through("xz -0c --block-size=1000", noise(5000));
  EXPECT_TRUE(list("").blocks.empty());
  EXPECT_TRUE(list("no xz").blocks.empty());
  EXPECT_TRUE(list(file.substr(0, file.size() / 2)).blocks.empty());
  EXPECT_TRUE(list(file.substr(0, file.size() - 4)).blocks.empty());
  EXPECT_TRUE(list(file + "trailing").blocks.empty());
}

TEST(XzBlocks, EveryKindOfCheckIsVerified) {
  for (const std::string check : {"crc32", "crc64", "sha256"}) {
    std::string file = through("xz -0c --check=" + check, noise(3000));
    const XzBlock block = list(file).blocks.at(0);
    EXPECT_EQ(decode(file, block).problem, "") << check;
    file[block.offset + block.bytes - 1] ^= 1;
    EXPECT_EQ(decode(file, block).problem, "damaged xz data") << check;
  }
}

TEST(XzBlocks, AFlippedBitAnywhereIsFound) {
  const std::string file = through("xz -0c", text_like(600));
  const XzBlock block = list(file).blocks.at(0);
  for (std::uint64_t at = block.offset; at < block.offset + block.bytes; ++at) {
    std::string damaged = file;
    damaged[at] ^= 4;
    EXPECT_NE(decode(damaged, block).problem, "") << at;
  }
}

TEST(XzBlocks, ABlockThatIsNotAsLargeAsTheIndexSaysIsDamaged) {
  const std::string file = through("xz -0c", text_like(5000));
  XzBlock block = list(file).blocks.at(0);
  for (const std::uint64_t claimed : {0U, 4999U, 5001U, 1U << 20}) {
    block.plain_bytes = claimed;
    EXPECT_NE(decode(file, block).problem, "") << claimed;
  }
}

TEST(XzBlocks, ADictionaryThatIsTooLargeIsNamed) {
  const std::string file = through("xz -c --lzma2=dict=1GiB", noise(100));
  const XzPlain plain = decode(file, list(file).blocks.at(0));
  EXPECT_NE(plain.problem.find("of memory to be decoded by xz"), std::string::npos) << plain.problem;
  EXPECT_NE(plain.advice, "");
}

}  // namespace
}  // namespace shardmill::codec
