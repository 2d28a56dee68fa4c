// A WAV file of 16 kHz, mono, 16 bits, for tests that need audio but do not care what it says.
#pragma once

#include <cstdint>
#include <string>

namespace shardmill::testing {

/// Its values are noise; the same for the same seed.
std::string made_wav(std::uint32_t frames, unsigned seed = 1);

}  // namespace shardmill::testing
