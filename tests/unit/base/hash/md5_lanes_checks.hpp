// What the MD5 of eight streams must give, whatever the instruction set: what Md5 gives for each of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/hash/hash.hpp"
#include "base/hash/md5.hpp"
#include "support/bytes.hpp"

namespace shardmill::base::testing {

inline Md5LaneWords new_md5_lanes() {
  Md5LaneWords words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i].fill(kMd5Begin[i]);
  return words;
}

/// The digest of one lane as md5sum prints it.
inline std::string md5_of_lane(const Md5LaneWords& words, std::size_t lane) {
  Bytes digest;
  for (const auto& word : words) {
    for (int i = 0; i < 4; ++i) digest.push_back(static_cast<std::byte>(word[lane] >> 8 * i));
  }
  return to_hex(digest);
}

/// Eight texts of `blocks` blocks less the padding, each different.
inline void expect_as_one_by_one(UpdateMd5Lanes update, std::size_t blocks) {
  std::array<Bytes, kMd5Lanes> texts;
  std::array<std::string, kMd5Lanes> expected;
  Md5LaneData data;
  for (std::size_t lane = 0; lane < kMd5Lanes; ++lane) {
    Bytes& text = texts[lane];
    // Padding takes 9 bytes at least, and up to a block more.
    text = shardmill::testing::random_bytes(64 * blocks - 9 - 5 * lane, static_cast<unsigned>(blocks + lane));
    Md5 alone;
    alone.update(text);
    expected[lane] = alone.finish();
    const std::uint64_t bits = 8 * text.size();
    text.push_back(std::byte{0x80});
    text.resize(64 * blocks - 8);
    for (int i = 0; i < 8; ++i) text.push_back(static_cast<std::byte>(bits >> 8 * i));
    data[lane] = text.data();
  }
  Md5LaneWords words = new_md5_lanes();
  update(words, data, blocks);
  for (std::size_t lane = 0; lane < kMd5Lanes; ++lane)
    EXPECT_EQ(md5_of_lane(words, lane), expected[lane]) << blocks << " blocks, lane " << lane;
}

/// What one stream holds changes no other.
inline void expect_lanes_apart(UpdateMd5Lanes update) {
  const Bytes same = shardmill::testing::random_bytes(128);
  const Bytes other = shardmill::testing::random_bytes(128, 2);
  Md5LaneData data;
  data.fill(same.data());
  Md5LaneWords before = new_md5_lanes();
  update(before, data, 2);
  for (std::size_t changed = 0; changed < kMd5Lanes; ++changed) {
    Md5LaneData some = data;
    some[changed] = other.data();
    Md5LaneWords words = new_md5_lanes();
    update(words, some, 2);
    for (std::size_t lane = 0; lane < kMd5Lanes; ++lane)
      EXPECT_EQ(md5_of_lane(words, lane) == md5_of_lane(before, lane), lane != changed) << changed;
  }
}

}  // namespace shardmill::base::testing
