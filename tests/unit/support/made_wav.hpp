// A WAV file of 16 kHz, mono, 16 bits, for tests that need audio but do not care what it says.
#pragma once

#include <cstdint>
#include <string>

namespace shardmill::testing {

inline std::string made_wav(std::uint32_t frames, char value = 1) {
  const auto number = [](std::uint32_t n, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(n >> (8 * i));
    return text;
  };
  const std::uint32_t data = 2 * frames;
  return "RIFF" + number(36 + data, 4) + "WAVEfmt " + number(16, 4) + number(1, 2) + number(1, 2) +
         number(16000, 4) + number(32000, 4) + number(2, 2) + number(16, 2) + "data" + number(data, 4) +
         std::string(data, value);
}

}  // namespace shardmill::testing
