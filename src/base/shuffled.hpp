// shuffled(): a vector of lanes taken from two others. GCC has clang's name for it only from version 12 on.
#pragma once

namespace shardmill::base {

/// Lane i of the result is lane `kPlaces[i]` of `a` followed by `b`. Each file that includes this gets its
/// own code, for its own instruction set.
template <int... kPlaces, typename Vector>
[[gnu::always_inline]] static inline Vector shuffled(Vector a, Vector b) {
#if defined(__clang__) || __GNUC__ >= 12
  return __builtin_shufflevector(a, b, kPlaces...);
#else
  return __builtin_shuffle(a, b, Vector{kPlaces...});
#endif
}

}  // namespace shardmill::base
