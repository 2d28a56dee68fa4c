#include "support/made_wav.hpp"

#include <random>

namespace shardmill::testing {

std::string made_wav(std::uint32_t frames, unsigned seed) {
  const auto number = [](std::uint32_t value) {
    std::string out;
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
    return out;
  };
  std::string wav = "RIFF" + number(36 + 2 * frames) + "WAVEfmt " + number(16) + number(0x10001) +
                    number(16000) + number(32000) + number(0x100002) + "data" + number(2 * frames);
  std::mt19937 random(seed);
  for (std::uint32_t i = 0; i < 2 * frames; ++i) wav += static_cast<char>(random());
  return wav;
}

}  // namespace shardmill::testing
