#include "archive/tar_search.hpp"

#include <gtest/gtest.h>

#include <random>

#include "archive/tar_building.hpp"

namespace shardmill::archive {
namespace {

using Found = std::optional<std::size_t>;

Found search(const std::string& window, Found first_boundary = {}) {
  return find_header(base::as_bytes(window), first_boundary);
}

/// A header of before POSIX: no magic.
std::string old_header() {
  std::string block = header_block('0', "old.wav", "00000000010");
  block.replace(257, 8, 8, '\0');
  set_checksum(block.data());
  return block;
}

std::string noise(std::mt19937& random, std::size_t bytes) {
  std::string out(bytes, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

TEST(FindHeader, FindsOneAtAnyPlaceInNoise) {
  std::mt19937 random(5);
  const std::string header = header_block('0', "a.wav", "00000000010");
  for (std::size_t at = 0; at < 1200; ++at) {
    const std::string window = noise(random, at) + header + noise(random, random() % 600);
    ASSERT_EQ(search(window), at);
    ASSERT_EQ(search(window.substr(0, at + 511)), std::nullopt) << "cut";
  }
}

TEST(FindHeader, GivesTheFirstOfTwo) {
  const std::string header = header_block('0', "a.wav", "00000000010");
  EXPECT_EQ(search("xyz" + header + header), 3u);
}

TEST(FindHeader, AWordThatLooksLikeMagicHidesNothing) {
  // "ustar" in the data just before a header, and over and over again.
  const std::string header = header_block('0', "a.wav", "00000000010");
  std::string bait;
  while (bait.size() < 900) bait += "ustar";
  EXPECT_EQ(search(bait + header), bait.size());
}

TEST(FindHeader, AnOldHeaderIsFoundOnlyOnABlockBoundary) {
  const std::string window = std::string(700, 'x') + old_header();
  EXPECT_EQ(search(window), std::nullopt);
  EXPECT_EQ(search(window, 700 % 512), 700u);
  EXPECT_EQ(search(window, 700 % 512 + 1), std::nullopt);
  EXPECT_EQ(search(window, 700 + 512), std::nullopt);
}

TEST(FindHeader, AFlippedBitMakesAHeaderNone) {
  const std::string header = header_block('0', "a.wav", "00000000010");
  for (std::size_t bit = 0; bit < 8 * header.size(); ++bit) {
    std::string changed = header;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    if (changed.substr(148, 8) != header.substr(148, 8))
      continue;  // may be written otherwise: "0013" is "013"
    EXPECT_EQ(search(changed, 0), std::nullopt) << bit;
  }
}

TEST(FindHeader, TypesNamesAndSizesMustMakeSense) {
  EXPECT_EQ(search(header_block('5', "folder/", "00000000000")), 0u);
  EXPECT_EQ(search(header_block('x', "pax", "00000000100")), 0u);
  EXPECT_EQ(search(header_block('Q', "a.wav", "00000000010")), std::nullopt);
  EXPECT_EQ(search(header_block('0', "", "00000000010")), std::nullopt);
  EXPECT_EQ(search(header_block('0', "a.wav", "0000000009x")), std::nullopt);
}

TEST(FindHeader, ShortWindowsHoldNone) {
  for (std::size_t bytes = 0; bytes < 512; ++bytes)
    EXPECT_EQ(search(std::string(bytes, '\0'), 0), std::nullopt);
  EXPECT_EQ(search(std::string(2048, '\0'), 0), std::nullopt);
}

}  // namespace
}  // namespace shardmill::archive
