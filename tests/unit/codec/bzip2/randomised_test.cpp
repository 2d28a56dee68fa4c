#include "codec/bzip2/randomised.hpp"

#include <gtest/gtest.h>

#include <vector>

extern "C" int BZ2_rNums[512];  // libbz2's own table, which its shared library shows

namespace shardmill::codec {
namespace {

/// What libbz2 does with a byte at a time (BZ_RAND_UPD_MASK in its bzlib_private.h).
std::vector<std::byte> toggled_by_libbz2(std::vector<std::byte> block) {
  int to_go = 0;
  int place = 0;
  for (std::byte& byte : block) {
    if (to_go == 0) {
      to_go = BZ2_rNums[place];
      place = (place + 1) % 512;
    }
    if (--to_go == 1) byte ^= std::byte{1};
  }
  return block;
}

TEST(Randomisation, IsThatOfLibbz2InBlocksOfAnySize) {
  // All sizes up to the third place, and the largest, which goes through the table more than three times.
  for (std::size_t size = 0; size <= 1500; ++size) {
    std::vector<std::byte> block(size, std::byte{0x40});
    const auto expected = toggled_by_libbz2(block);
    toggle_randomisation(block);
    ASSERT_TRUE(block == expected) << size;
  }
  std::vector<std::byte> largest(900'000, std::byte{0xff});
  const auto expected = toggled_by_libbz2(largest);
  toggle_randomisation(largest);
  EXPECT_TRUE(largest == expected);
}

TEST(Randomisation, TwiceChangesNothing) {
  std::vector<std::byte> block(100'000);
  toggle_randomisation(block);
  toggle_randomisation(block);
  EXPECT_TRUE(block == std::vector<std::byte>(100'000));
}

}  // namespace
}  // namespace shardmill::codec
