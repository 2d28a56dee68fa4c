#include "audio/pcm/pcm.hpp"

namespace shardmill::audio {

std::string_view name(PcmEncoding encoding) {
  switch (encoding) {
    case PcmEncoding::pcm8:
      return "pcm8";
    case PcmEncoding::pcm16:
      return "pcm16";
    case PcmEncoding::pcm24:
      return "pcm24";
    case PcmEncoding::pcm32:
      return "pcm32";
    case PcmEncoding::float32:
      return "float32";
    case PcmEncoding::float64:
      break;
  }
  return "float64";
}

std::size_t value_bytes(PcmEncoding encoding) {
  switch (encoding) {
    case PcmEncoding::pcm8:
      return 1;
    case PcmEncoding::pcm16:
      return 2;
    case PcmEncoding::pcm24:
      return 3;
    case PcmEncoding::pcm32:
    case PcmEncoding::float32:
      return 4;
    case PcmEncoding::float64:
      break;
  }
  return 8;
}

bool is_float(PcmEncoding encoding) {
  return encoding == PcmEncoding::float32 || encoding == PcmEncoding::float64;
}

}  // namespace shardmill::audio
