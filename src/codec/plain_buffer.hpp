// PlainBuffer: holds the plain bytes of a piece. Its size bounds the memory of a piece, however much it
// expands.
#pragma once

#include <array>
#include <cstddef>

#include "codec/pool.hpp"

namespace shardmill::codec {

struct PlainBuffer {
  std::array<std::byte, std::size_t{2} << 20> bytes;
};

using PlainBufferPool = Pool<PlainBuffer>;

}  // namespace shardmill::codec
