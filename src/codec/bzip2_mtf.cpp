#include "shardmill/codec/bzip2_mtf.hpp"

#include <cstring>

namespace shardmill::codec {

void undo_move_to_front(VectorPath, std::span<std::uint8_t> positions, MoveToFrontList list) {
  for (std::uint8_t& position : positions) {
    const std::uint8_t byte = list[position];
    std::memmove(list.data() + 1, list.data(), position);
    list[0] = byte;
    position = byte;
  }
}

}  // namespace shardmill::codec
