// Blocks that bzip2 0.9 disturbed to escape its worst case: the disturbance, to be undone.
#pragma once

#include <cstddef>
#include <span>

namespace shardmill::codec {

/// Flips the lowest bit at the places that the format prescribes; applying it twice changes nothing.
void toggle_randomisation(std::span<std::byte> block);

}  // namespace shardmill::codec
