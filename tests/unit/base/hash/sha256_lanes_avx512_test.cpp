#if defined(__x86_64__)

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/hash/sha256_lanes.hpp"
#include "support/bytes.hpp"
#include "support/vector_path.hpp"

namespace shardmill::base {
namespace {

constexpr std::array<std::uint32_t, 8> kSha256Begin{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

Sha256LaneWords new_sha256_lanes() {
  Sha256LaneWords words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i].fill(kSha256Begin[i]);
  return words;
}

std::string sha256_of_lane(const Sha256LaneWords& words, std::size_t lane) {
  Bytes digest;
  for (const auto& word : words) {
    for (int i = 3; i >= 0; --i) digest.push_back(static_cast<std::byte>(word[lane] >> 8 * i));
  }
  return to_hex(digest);
}

/// With the padding that SHA-256 adds: a one, zeros, and the number of bits with its highest byte first.
Bytes padded_for_sha256(Bytes text) {
  const std::uint64_t bits = 8 * text.size();
  text.push_back(std::byte{0x80});
  while (text.size() % 64 != 56) text.push_back(std::byte{0});
  for (int i = 7; i >= 0; --i) text.push_back(static_cast<std::byte>(bits >> 8 * i));
  return text;
}

TEST(Sha256LanesAvx512Test, EveryLaneIsAsAloneForAnyNumberOfBlocks) {
  if (!shardmill::testing::can_run(VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  for (const std::size_t blocks : {1U, 2U, 17U, 65U}) {
    std::array<Bytes, kSha256Lanes> texts;
    std::array<Bytes, kSha256Lanes> padded_texts;
    std::array<const std::byte*, kSha256Lanes> data;
    for (std::size_t lane = 0; lane < kSha256Lanes; ++lane) {
      texts[lane] = shardmill::testing::random_bytes(64 * blocks - 9 - 3 * lane, static_cast<unsigned>(lane));
      padded_texts[lane] = padded_for_sha256(texts[lane]);
      ASSERT_EQ(padded_texts[lane].size(), 64 * blocks);
      data[lane] = padded_texts[lane].data();
    }
    Sha256LaneWords words = new_sha256_lanes();
    // In two calls where there are two blocks, so that what one hands to the next is tested.
    update_sha256_lanes_avx512(words, data, 1);
    for (const std::byte*& lane : data) lane += 64;
    update_sha256_lanes_avx512(words, data, blocks - 1);
    for (std::size_t lane = 0; lane < kSha256Lanes; ++lane)
      EXPECT_EQ(sha256_of_lane(words, lane), sha256_hex(texts[lane])) << blocks << " blocks, lane " << lane;
  }
}

TEST(Sha256LanesAvx512Test, LanesDoNotTouchEachOther) {
  if (!shardmill::testing::can_run(VectorPath::avx512)) GTEST_SKIP() << "this CPU has no avx512";
  const Bytes same = shardmill::testing::random_bytes(64);
  const Bytes other = shardmill::testing::random_bytes(64, 2);
  std::array<const std::byte*, kSha256Lanes> data;
  data.fill(same.data());
  Sha256LaneWords before = new_sha256_lanes();
  update_sha256_lanes_avx512(before, data, 1);
  for (std::size_t changed = 0; changed < kSha256Lanes; ++changed) {
    auto some = data;
    some[changed] = other.data();
    Sha256LaneWords words = new_sha256_lanes();
    update_sha256_lanes_avx512(words, some, 1);
    for (std::size_t lane = 0; lane < kSha256Lanes; ++lane)
      EXPECT_EQ(sha256_of_lane(words, lane) == sha256_of_lane(before, lane), lane != changed) << changed;
  }
}

}  // namespace
}  // namespace shardmill::base

#endif
