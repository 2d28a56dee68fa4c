// Frames of every kind, built by the formulas of the standard: an empty body is no matter, only headers are
// read.
#include <gtest/gtest.h>

#include <string>

#include "audio/containers.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {
namespace {

struct Kind {
  int version = 1;  // 1, 2, or 25 for 2.5
  int layer = 3;
  int kilobits = 128;
  int rate = 44100;
  bool mono = false;
};

/// Kilobits by code, as ISO 11172-3 and 13818-3 have them.
const std::vector<int>& kilobits(int version, int layer) {
  static const std::vector<int> k11{32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448};
  static const std::vector<int> k12{32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384};
  static const std::vector<int> k13{32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320};
  static const std::vector<int> k21{32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256};
  static const std::vector<int> k2x{8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160};
  if (version == 1) return layer == 1 ? k11 : layer == 2 ? k12 : k13;
  return layer == 1 ? k21 : k2x;
}

const std::vector<int>& rates(int version) {
  static const std::vector<int> k1{44100, 48000, 32000};
  static const std::vector<int> k2{22050, 24000, 16000};
  static const std::vector<int> k25{11025, 12000, 8000};
  return version == 1 ? k1 : version == 2 ? k2 : k25;
}

int index_in(const std::vector<int>& values, int value) {
  return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

std::string frame(const Kind& kind) {
  const int version_bits = kind.version == 1 ? 3 : kind.version == 2 ? 2 : 0;
  std::string bytes;
  bytes += '\xff';
  bytes += static_cast<char>(0xe0 | version_bits << 3 | (4 - kind.layer) << 1 | 1);
  bytes += static_cast<char>((index_in(kilobits(kind.version, kind.layer), kind.kilobits) + 1) << 4 |
                             index_in(rates(kind.version), kind.rate) << 2);
  bytes += static_cast<char>(kind.mono ? 0xc0 : 0);
  const int bits = kind.kilobits * 1000;
  const int size = kind.layer == 1                        ? 12 * bits / kind.rate * 4
                   : kind.layer == 3 && kind.version != 1 ? 72 * bits / kind.rate
                                                          : 144 * bits / kind.rate;
  bytes.resize(static_cast<std::size_t>(size), '\0');
  return bytes;
}

std::uint64_t samples(const Kind& kind) {
  return kind.layer == 1 ? 384 : kind.layer == 3 && kind.version != 1 ? 576 : 1152;
}

ProbeResult probe_mpeg_text(const std::string& audio) {
  return probe_mpeg(ByteView(base::as_bytes(audio)));
}

TEST(ProbeMpeg, CountsFramesOfEveryVersionLayerAndRate) {
  for (const int version : {1, 2, 25}) {
    for (const int layer : {1, 2, 3}) {
      for (const int bits : kilobits(version, layer)) {
        for (const int rate : rates(version)) {
          const Kind kind{version, layer, bits, rate, bits % 3 == 0};
          std::string audio;
          for (int i = 0; i < 5; ++i) audio += frame(kind);
          const ProbeResult result = probe_mpeg_text(audio);
          ASSERT_EQ(result.verdict, ProbeVerdict::good)
              << version << " " << layer << " " << bits << " " << rate << " " << result.text;
          ASSERT_EQ(result.info.frames, 5 * samples(kind));
          ASSERT_EQ(result.info.sample_rate, static_cast<std::uint32_t>(rate));
          ASSERT_EQ(result.info.channels, kind.mono ? 1u : 2u);
          ASSERT_EQ(result.info.format, "mp" + std::to_string(layer));
        }
      }
    }
  }
}

TEST(ProbeMpeg, EveryCutInsideTheLastFrameIsSeen) {
  std::string audio;
  for (int i = 0; i < 4; ++i) audio += frame({});
  const std::size_t three = 3 * frame({}).size();
  for (std::size_t cut = three + 4; cut < audio.size(); ++cut) {
    const ProbeResult result = probe_mpeg_text(audio.substr(0, cut));
    ASSERT_EQ(result.verdict, ProbeVerdict::truncated) << cut;
    ASSERT_EQ(result.info.frames, 3 * 1152u);
  }
}

TEST(ProbeMpeg, TheXingFrameSaysHowManyFramesThereShouldBe) {
  std::string contents = frame({});
  contents.replace(4 + 32, 12, std::string("Xing\0\0\0\1\0\0\0\3", 12));
  const std::string audio = contents + frame({}) + frame({}) + frame({});
  EXPECT_EQ(probe_mpeg_text(audio).verdict, ProbeVerdict::good);
  EXPECT_EQ(probe_mpeg_text(audio).info.frames, 3 * 1152u);
  const ProbeResult cut = probe_mpeg_text(contents + frame({}) + frame({}));
  EXPECT_EQ(cut.verdict, ProbeVerdict::truncated);
  EXPECT_EQ(cut.text, "1 of 3 MPEG frames are missing");
}

TEST(ProbeMpeg, TagsBehindTheAudioArePassedOver) {
  std::string audio;
  for (int i = 0; i < 4; ++i) audio += frame({});
  EXPECT_EQ(probe_mpeg_text(audio + "TAG" + std::string(125, '\xff')).info.frames, 4 * 1152u);
  EXPECT_EQ(probe_mpeg_text("some bytes before" + audio).info.frames, 4 * 1152u);
}

TEST(ProbeMpeg, OtherBytesAreNotRecognised) {
  for (const std::string& other :
       {std::string(), std::string("RIFF"), std::string(10'000, '\xff'), std::string(10'000, 'x')})
    EXPECT_EQ(probe_mpeg_text(other).verdict, ProbeVerdict::unrecognised) << other.size();
}

}  // namespace
}  // namespace shardmill::audio
