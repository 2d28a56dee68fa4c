#if defined(__x86_64__)

#define XXH_INLINE_ALL  // the library is built for any x86-64; this copy is for this instruction set
#include <xxhash.h>

#include "base/hash/xxh3.hpp"

namespace shardmill::base {

Xxh3Value xxh3_avx512(std::span<const std::byte> data) {
  const XXH128_hash_t raw = XXH3_128bits(data.data(), data.size());
  return {.high = raw.high64, .low = raw.low64};
}

}  // namespace shardmill::base

#endif
