// VectorPath: the instruction set that vector code uses (bzip2, and hashing many streams side by side).
// shuffled(): a vector of lanes taken from two others. GCC has clang's name for it only from version 12 on.
#pragma once

#include <string_view>
#include <vector>

namespace shardmill::base {

enum class VectorPath { portable, ssse3, avx2, avx512, neon };

std::string_view name(VectorPath path);

/// The paths that this machine can run, best first; always ends with `portable`.
std::vector<VectorPath> available_vector_paths();

/// The best path, or the one that SHARDMILL_VECTOR_PATH names; decided once per process. Throws Error when
/// that one is unknown or not available.
VectorPath chosen_vector_path();

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
