// The second stage of the bzip2 block decoder: turns move-to-front positions into bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

/// The list that positions refer to. Entries after the bytes that the block uses never matter.
using MoveToFrontList = std::array<std::uint8_t, 256>;

/// Replaces `positions` by the bytes at these positions of the list.
void undo_move_to_front(base::VectorPath path, std::span<std::uint8_t> positions,
                        const MoveToFrontList& list);

// The same for each vector path; `list` has 256 bytes.
void undo_move_to_front_portable(std::uint8_t* positions, std::size_t size, const std::uint8_t* list);
void undo_move_to_front_ssse3(std::uint8_t* positions, std::size_t size, const std::uint8_t* list);
void undo_move_to_front_avx2(std::uint8_t* positions, std::size_t size, const std::uint8_t* list);
void undo_move_to_front_avx512(std::uint8_t* positions, std::size_t size, const std::uint8_t* list);
void undo_move_to_front_neon(std::uint8_t* positions, std::size_t size, const std::uint8_t* list);

}  // namespace shardmill::codec
