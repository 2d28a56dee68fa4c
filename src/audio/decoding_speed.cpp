#include "audio/decoding_speed.hpp"

#include "audio/probe.hpp"
#include "audio/sndfile.hpp"
#include "base/system/cpu_speed.hpp"

namespace shardmill::audio {

double decoding_speed(std::span<const Bytes> audio) {
  struct Decodable {
    std::span<const std::byte> bytes;
    std::uint64_t frames = 0;
  };
  std::vector<Decodable> decodable;
  double seconds = 0;
  for (const Bytes& bytes : audio) {
    const ProbeResult probed = probe(bytes);
    if (!probed.usable()) continue;
    const auto decoded = sndfile_decode(bytes);
    if (!decoded) continue;
    decodable.push_back({.bytes = bytes, .frames = decoded->frames});
    seconds += probed.info.seconds();
  }
  if (decodable.empty()) return 0;
  return base::cpu_speed([&] {
    for (const Decodable& each : decodable) sndfile_read_floats(each.bytes, each.frames);
    return seconds;
  });
}

}  // namespace shardmill::audio
