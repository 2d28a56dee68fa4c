// The second stage of the bzip2 block decoder: from move-to-front positions to bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shardmill/codec/bzip2_vector_path.hpp"

namespace shardmill::codec {

/// The list that positions refer to; entries behind the bytes used never matter.
using MoveToFrontList = std::array<std::uint8_t, 256>;

/// Replaces `positions` by the bytes they stand for.
void undo_move_to_front(VectorPath path, std::span<std::uint8_t> positions, MoveToFrontList list);

}  // namespace shardmill::codec
