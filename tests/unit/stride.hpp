// At how many of the places of an input a test tries something.
#pragma once

#include <cstddef>

namespace shardmill::testing {

/// From each place to the next: every one, or every third where a sanitizer makes each several times as slow.
#if defined(SHARDMILL_SANITIZED)
inline constexpr std::size_t kStride = 3;
#else
inline constexpr std::size_t kStride = 1;
#endif

}  // namespace shardmill::testing
