// Md5: the checksum that publishers of corpora put beside their archives. Finds accidents, not forgery.
// MD5 of many files is computed in lanes of a vector, side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/system/vector_path.hpp"

namespace shardmill::base {

/// One thread at a time.
class Md5 {
 public:
  Md5();
  Md5(const Md5&) = delete;
  Md5& operator=(const Md5&) = delete;
  ~Md5();

  void update(std::span<const std::byte> data);
  /// 32 small hexadecimal digits. Nothing may follow.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::size_t kMd5Lanes = 8;
inline constexpr std::size_t kMd5BlockBytes = 64;

/// The state of a new stream. After the last, padded block these words are the digest, little-endian.
inline constexpr std::array<std::uint32_t, 4> kMd5Begin{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

/// The state of all lanes, word by word: word i of all lanes are neighbours.
using Md5LaneWords = std::array<std::array<std::uint32_t, kMd5Lanes>, 4>;
using Md5LaneData = std::array<const std::byte*, kMd5Lanes>;

/// Adds `blocks` blocks of 64 bytes to every lane.
using UpdateMd5Lanes = void (*)(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks);

/// The fastest function for this instruction set; nullptr if lanes are not faster than one stream after
/// another.
UpdateMd5Lanes md5_lanes_update(VectorPath path = chosen_vector_path());

/// Call these only if the instruction set in the name is available.
void update_md5_lanes_avx2(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks);
void update_md5_lanes_avx512(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks);

}  // namespace shardmill::base
