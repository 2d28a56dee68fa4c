// MD5 of eight streams side by side: one stream alone keeps most of a CPU waiting.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/system/vector_path.hpp"

namespace shardmill::base {

inline constexpr std::size_t kMd5Lanes = 8;
inline constexpr std::size_t kMd5BlockBytes = 64;

/// What a stream begins with. In the end, behind its padding, these words are the digest, little-endian.
inline constexpr std::array<std::uint32_t, 4> kMd5Begin{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

/// Word by word, each of all lanes.
using Md5LaneWords = std::array<std::array<std::uint32_t, kMd5Lanes>, 4>;
using Md5LaneData = std::array<const std::byte*, kMd5Lanes>;

/// Adds `blocks` blocks of 64 bytes to every lane.
using UpdateMd5Lanes = void (*)(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks);

/// nullptr where nothing is gained by it.
UpdateMd5Lanes md5_lanes_update(VectorPath path = chosen_vector_path());

/// Only where the instruction sets are available that their names say.
void update_md5_lanes_avx2(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks);
void update_md5_lanes_avx512(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks);

}  // namespace shardmill::base
