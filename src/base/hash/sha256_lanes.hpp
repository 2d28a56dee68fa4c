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
/// Sixteen lanes take as long as seven streams one after another, even when some lanes are empty.
inline constexpr std::size_t kFewestSha256Lanes = 8;

/// The bytes that one stream still has to hash, in order.
struct Sha256Feed {
  Sha256* stream = nullptr;
  std::vector<std::span<const std::byte>> pieces;
  std::size_t next = 0;  // the first piece that is not hashed whole; its hashed front has been cut off

  /// Hashes what is left, one piece after another.
  void finish();
};

class Sha256Lanes {
 public:
  explicit Sha256Lanes(VectorPath path = chosen_vector_path()) : path_(path) {}

  /// True when this many streams are done sooner side by side.
  bool pays(std::size_t streams) const noexcept;

  /// Hashes the pieces side by side while that pays and at least `fewest` feeds have more to come. The rest
  /// stays in the feeds. Every feed must have a stream of its own. Least is left over when the longest feeds
  /// come first.
  void update(std::span<Sha256Feed> feeds, std::size_t fewest = kFewestSha256Lanes) const;

 private:
  VectorPath path_;
};

/// The state of all lanes: word i of every lane stands together.
using Sha256LaneWords = std::array<std::array<std::uint32_t, kSha256Lanes>, 8>;

/// Adds `blocks` blocks of 64 bytes to every lane. Call it only where VectorPath::avx512 is available.
void update_sha256_lanes_avx512(Sha256LaneWords& words,
                                const std::array<const std::byte*, kSha256Lanes>& data, std::size_t blocks);

}  // namespace shardmill::base
