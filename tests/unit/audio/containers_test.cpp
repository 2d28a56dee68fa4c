#include "audio/containers.hpp"

#include <gtest/gtest.h>

#include "audio/made_audio.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {
namespace {

using ProbeContainer = ProbeResult (*)(ByteView);

/// One file of each container, and the function that reads it.
std::vector<std::pair<std::string, ProbeContainer>> made(const testing::TemporaryFolder& folder) {
  std::vector<std::pair<std::string, ProbeContainer>> files;
  for (const MadeAudio& audio : make_audio(folder, R"(
for name, options in {'a.ogg': dict(format='OGG', subtype='VORBIS'), 'o.ogg': dict(format='OGG', subtype='OPUS'),
                      's.sph': dict(format='NIST', subtype='PCM_16'), 'f.aiff': dict(format='AIFF', subtype='PCM_16'),
                      'u.au': dict(format='AU', subtype='PCM_16')}.items():
    sf.write(name, noise(8000), 16000, **options)
)")) {
    const ProbeContainer read = audio.file.ends_with(".ogg")    ? probe_ogg
                                : audio.file.ends_with(".sph")  ? probe_sphere
                                : audio.file.ends_with(".aiff") ? probe_aiff
                                                                : probe_au;
    files.emplace_back(content(audio.file), read);
  }
  return files;
}

TEST(Containers, WholeFilesAreGoodAndNoCutIs) {
  const testing::TemporaryFolder folder;
  const auto files = made(folder);
  EXPECT_EQ(files.size(), 5u);
  for (const auto& [file, read] : files) {
    const ProbeResult whole = read(ByteView(base::as_bytes(file)));
    EXPECT_EQ(whole.verdict, ProbeVerdict::good) << whole.text;
    EXPECT_EQ(whole.info.frames, 8000u);
    for (std::size_t cut = 16; cut < file.size(); cut += 1 + file.size() / 97) {
      const ProbeResult result = read(ByteView(base::as_bytes(file.substr(0, cut))));
      EXPECT_NE(result.verdict, ProbeVerdict::good) << whole.info.format << " " << cut;
    }
  }
}

std::string sphere(const std::string& fields) {
  std::string header = "NIST_1A\n   1024\n" + fields + "end_head\n";
  header.resize(1024, ' ');
  return header;
}

TEST(Sphere, WhatItsHeaderPromisesIsHeldAgainstItsSize) {
  const std::string fields =
      "channel_count -i 1\nsample_count -i 100\nsample_rate -i 16000\nsample_n_bytes -i "
      "2\nsample_byte_format -s2 01\n"
      "sample_sig_bits -i 16\nsample_coding -s3 pcm\n";
  const auto probed = [](const std::string& audio) { return probe_sphere(ByteView(base::as_bytes(audio))); };
  EXPECT_EQ(probed(sphere(fields) + std::string(200, 'x')).info.frames, 100u);
  EXPECT_EQ(probed(sphere(fields) + std::string(150, 'x')).text, "50 bytes of audio are missing");
  EXPECT_EQ(probed(sphere("sample_coding -s26 pcm,embedded-shorten-v2.00\n")).verdict,
            ProbeVerdict::unsupported);
}

TEST(Ogg, AChainAndAnotherCodecAreSaidToBeSo) {
  const testing::TemporaryFolder folder;
  const auto files = made(folder);
  const std::string& vorbis = files.front().first;
  EXPECT_EQ(probe_ogg(ByteView(base::as_bytes(vorbis + vorbis))).verdict, ProbeVerdict::damaged);
  std::string other = vorbis;
  other.replace(29, 6, "theora");
  EXPECT_EQ(probe_ogg(ByteView(base::as_bytes(other))).verdict, ProbeVerdict::unsupported);
}

}  // namespace
}  // namespace shardmill::audio
