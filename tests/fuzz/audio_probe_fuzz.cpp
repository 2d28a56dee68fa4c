// Audio: any bytes get a verdict, a usable one makes sense, and it depends on nothing but the bytes.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "audio/probe.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shardmill;
  const auto bytes = std::as_bytes(std::span(data, size));
  const audio::ProbeResult result = audio::probe(bytes);
  const AudioInfo& info = result.info;
  const bool rate_and_channels = info.sample_rate > 0 && info.sample_rate <= audio::kMaxSampleRate &&
                                 info.channels > 0 && info.channels <= audio::kMaxChannels;
  if (result.usable() && (!rate_and_channels || info.frames == 0 || info.format.empty())) std::abort();
  if ((result.verdict == audio::ProbeVerdict::good) != result.text.empty()) std::abort();
  const audio::ProbeResult again = audio::probe(bytes);
  if (again.verdict != result.verdict || again.info.frames != info.frames) std::abort();
  return 0;
}
