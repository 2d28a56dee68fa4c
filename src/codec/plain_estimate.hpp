// How many plain bytes a compressed file holds, as far as can be told without decoding it.
#pragma once

#include <cstdint>

#include "base/io/file.hpp"

namespace shardmill::codec {

/// Taken from headers, trailers and the distance of blocks where the format has them (usually within a few
/// per cent, often exact), else guessed from the size. Reads at most some MB, wherever `file` stands.
/// Whatever is written there, the answer is at most 1,100 times the size. Throws Error only when reading
/// fails.
std::uint64_t estimate_plain_bytes(const base::File& file);

}  // namespace shardmill::codec
