// estimate_plain_bytes: how many plain bytes a compressed file holds, without decoding it.
#pragma once

#include <cstdint>

#include "base/io/file.hpp"

namespace shardmill::codec {

/// Uses headers, trailers and the distance between blocks where the format has them (then it is usually right
/// within a few per cent, and often exact); otherwise guesses from the size. Reads at most a few MB, and
/// leaves the position of `file` alone. The result is at most 1,100 times the size, whatever the file claims.
/// Throws Error only when reading fails.
std::uint64_t estimate_plain_bytes(const base::File& file);

}  // namespace shardmill::codec
