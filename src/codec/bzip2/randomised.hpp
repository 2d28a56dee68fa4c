// bzip2 0.9 changed some blocks on purpose to avoid its worst case. This undoes the change.
#pragma once

#include <cstddef>
#include <span>

namespace shardmill::codec {

/// Flips the lowest bit at the places that the format prescribes. Doing it twice changes nothing.
void toggle_randomisation(std::span<std::byte> block);

}  // namespace shardmill::codec
