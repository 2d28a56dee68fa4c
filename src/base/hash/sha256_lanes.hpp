// SHA-256 of many streams side by side, for CPUs that do this faster than one stream after another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/system/vector_path.hpp"

namespace shardmill::base {

inline constexpr std::size_t kSha256Lanes = 16;

/// The bytes that one stream still has to hash, in order.
struct Sha256Feed {
  Sha256* stream = nullptr;
  std::vector<std::span<const std::byte>> pieces;
  std::size_t next = 0;  // the first piece that is not hashed whole; its hashed front has been cut off

  /// Hashes the rest, one piece after another.
  void finish();
};

/// With AVX-512 sixteen streams at a time, with the SHA instructions of x86 two, otherwise none.
class Sha256Lanes {
 public:
  explicit Sha256Lanes(VectorPath path = chosen_vector_path());

  /// True if this many streams are hashed faster side by side.
  bool pays(std::size_t streams) const noexcept;
  /// How many of `streams` streams should have bytes before they are hashed side by side: an empty lane costs
  /// as much as a busy one.
  std::size_t busy(std::size_t streams) const noexcept;

  /// Hashes the pieces side by side while that is faster and at least `fewest` feeds have bytes left. The
  /// rest stays in the feeds; it is smallest if the longest feeds come first. Every feed must have its own
  /// stream.
  void update(std::span<Sha256Feed> feeds, std::size_t fewest = 0) const;

 private:
  bool sixteen_;
  bool two_;
};

/// The state of all lanes, word by word: word i of all lanes are neighbours.
using Sha256LaneWords = std::array<std::array<std::uint32_t, kSha256Lanes>, 8>;

/// Both add `blocks` blocks of 64 bytes to every lane: to all, where VectorPath::avx512 is available, or to
/// the first two, where the CPU has the SHA instructions.
void update_sha256_lanes_avx512(Sha256LaneWords& words,
                                const std::array<const std::byte*, kSha256Lanes>& data, std::size_t blocks);
void update_sha256_lanes_sha(Sha256LaneWords& words, const std::array<const std::byte*, kSha256Lanes>& data,
                             std::size_t blocks);

}  // namespace shardmill::base
