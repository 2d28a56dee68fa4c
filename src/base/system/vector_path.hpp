// VectorPath: the instruction set that vector code uses (bzip2, and hashing many streams side by side).
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

}  // namespace shardmill::base
