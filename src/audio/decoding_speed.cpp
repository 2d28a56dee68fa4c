#include "shardmill/audio/decoding_speed.hpp"

#include "shardmill/audio/probe.hpp"
#include "shardmill/audio/sndfile.hpp"
#include "shardmill/base/cpu_speed.hpp"

namespace shardmill::audio {

double decoding_speed(std::span<const Bytes> audio) {
  std::vector<std::span<const std::byte>> decodable;
  double seconds = 0;
  for (const Bytes& bytes : audio) {
    const ProbeResult probed = probe(bytes);
    if (!probed.usable() || !sndfile_decode(bytes)) continue;
    decodable.emplace_back(bytes);
    seconds += probed.info.seconds();
  }
  if (decodable.empty()) return 0;
  return base::cpu_speed([&] {
    for (const auto bytes : decodable) sndfile_decode(bytes);
    return seconds;
  });
}

}  // namespace shardmill::audio
