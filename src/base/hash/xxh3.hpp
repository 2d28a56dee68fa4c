// XXH3 with 128 bits, compiled for one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardmill::base {

struct Xxh3Value {
  std::uint64_t high;
  std::uint64_t low;
};

/// Call this only where VectorPath::avx512 is available.
Xxh3Value xxh3_avx512(std::span<const std::byte> data);

}  // namespace shardmill::base
