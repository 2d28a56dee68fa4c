#include "codec/bzip2/scan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "codec/bzip2/block.hpp"
#include "codec/codec_files.hpp"

namespace shardmill::codec {
namespace {

TEST(Bzip2Scan, FindsTheMagicAtEveryBit) {
  for (const std::size_t size : {6u, 7u, 8u, 12u, 13u, 40u, 64u, 71u, 100u}) {
    for (std::uint64_t bit = 0; bit + 48 <= size * 8; ++bit) {
      std::string bytes = testing::noise(size, bit);
      testing::put_bits(bytes, bit, kBzip2BlockMagic, 48);
      const auto found = find_bzip2_block(base::as_bytes(bytes), 0);
      ASSERT_EQ(found, bit) << size;
      ASSERT_EQ(find_bzip2_block(base::as_bytes(bytes), bit), bit) << size;
      ASSERT_EQ(find_bzip2_block(base::as_bytes(bytes), bit + 1), std::nullopt) << size;
      testing::put_bits(bytes, bit, kBzip2EndMagic, 48);
      ASSERT_EQ(find_bzip2_end(base::as_bytes(bytes), 0), bit) << size;
      ASSERT_EQ(find_bzip2_block(base::as_bytes(bytes), 0), std::nullopt) << size;
    }
  }
}

TEST(Bzip2Scan, AMagicThatIsCutOffIsNone) {
  std::string bytes(20, '\0');
  testing::put_bits(bytes, 107, kBzip2BlockMagic, 48);
  EXPECT_EQ(find_bzip2_block(base::as_bytes(bytes), 0), 107);
  bytes.pop_back();
  EXPECT_EQ(find_bzip2_block(base::as_bytes(bytes), 0), std::nullopt);
}

TEST(Bzip2Scan, FindsAllOfMany) {
  std::string bytes = testing::noise(300'000);
  std::vector<std::uint64_t> expected;
  // Steps of 45 bits overlap: the last three bits of the magic are its first three.
  for (std::uint64_t bit = 5; bit + 48 < bytes.size() * 8; bit += expected.size() % 3 == 0 ? 45 : 1003) {
    testing::put_bits(bytes, bit, kBzip2BlockMagic, 48);
    expected.push_back(bit);
  }
  std::vector<std::uint64_t> found;
  for (auto bit = find_bzip2_block(base::as_bytes(bytes), 0); bit;
       bit = find_bzip2_block(base::as_bytes(bytes), *bit + 1)) {
    found.push_back(*bit);
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace shardmill::codec
