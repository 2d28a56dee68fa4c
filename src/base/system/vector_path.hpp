// Which instruction set the vector code uses: of the bzip2 decoder, and of hashing many shards side by side.
#pragma once

#include <string_view>
#include <vector>

namespace shardmill::base {

enum class VectorPath { portable, ssse3, avx2, avx512, neon };

std::string_view name(VectorPath path);

/// What this machine can run, best first; always ends with `portable`.
std::vector<VectorPath> available_vector_paths();

/// The best one, or the one that SHARDMILL_VECTOR_PATH names. Throws Error when that one is unknown or not
/// available. Decided once a process.
VectorPath chosen_vector_path();

}  // namespace shardmill::base
