// SHA-256 of many streams side by side, for CPUs that are faster at that than at one stream after another.
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
/// Sixteen lanes, busy or not, take as long as seven streams one after another.
inline constexpr std::size_t kFewestSha256Lanes = 8;

/// What a stream is to get, in order.
struct Sha256Feed {
  Sha256* stream = nullptr;
  std::vector<std::span<const std::byte>> pieces;
  std::size_t next = 0;  // the first piece that is not hashed whole; the front that is hashed is cut off

  /// Adds what is left, one piece after another.
  void finish();
};

class Sha256Lanes {
 public:
  explicit Sha256Lanes(VectorPath path = chosen_vector_path()) : path_(path) {}

  /// Whether so many streams are done sooner side by side.
  bool pays(std::size_t streams) const noexcept;

  /// Adds the pieces to their streams for as long as it pays and `fewest` of them have more to come; the rest
  /// stays in the feeds. Every feed has a stream of its own. Least is left if the longest come first.
  void update(std::span<Sha256Feed> feeds, std::size_t fewest = kFewestSha256Lanes) const;

 private:
  VectorPath path_;
};

/// Word by word, each of all lanes.
using Sha256LaneWords = std::array<std::array<std::uint32_t, kSha256Lanes>, 8>;

/// Adds `blocks` blocks of 64 bytes to every lane. Only where VectorPath::avx512 is available.
void update_sha256_lanes_avx512(Sha256LaneWords& words,
                                const std::array<const std::byte*, kSha256Lanes>& data, std::size_t blocks);

}  // namespace shardmill::base
