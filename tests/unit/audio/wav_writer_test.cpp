#include <gtest/gtest.h>

#include "audio/made_audio.hpp"
#include "audio/probe.hpp"
#include "audio/wav.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"

namespace shardmill::audio {
namespace {

using enum PcmEncoding;
using testing::TemporaryFolder;

Pcm pcm(PcmEncoding encoding, std::uint32_t channels, std::size_t frames) {
  Pcm pcm{.encoding = encoding, .sample_rate = 16000, .channels = channels, .data = {}, .clipped = 0};
  for (std::size_t i = 0; i < frames * pcm.frame_bytes(); ++i) pcm.data.push_back(static_cast<std::byte>(i));
  return pcm;
}

TEST(WavWriter, WritesWhatPythonsWaveModuleReads) {
  const TemporaryFolder folder;
  const std::string script = folder.write("read.py", R"(import sys, wave
for name in sys.argv[1:]:
    with wave.open(name) as w:
        data = w.readframes(10000)
        print(w.getnchannels(), w.getsampwidth(), w.getframerate(), w.getnframes(), data == bytes(i % 256 for i in range(len(data))))
)");
  std::string files;
  std::string expected;
  for (const PcmEncoding encoding : {pcm8, pcm16, pcm24, pcm32}) {
    for (const std::uint32_t channels : {1U, 2U, 6U}) {
      const Pcm values = pcm(encoding, channels, 333);
      files += " " + folder.write(std::string(name(encoding)) + std::to_string(channels),
                                  testing::text_of(encode_wav(values)));
      expected +=
          std::to_string(channels) + " " + std::to_string(value_bytes(encoding)) + " 16000 333 True\n";
    }
  }
  EXPECT_EQ(testing::command_output("/usr/bin/python3 " + script + files), expected);
}

TEST(WavWriter, WhatItWritesIsPlain) {
  for (const PcmEncoding encoding : {pcm8, pcm16, pcm24, pcm32, float32, float64}) {
    for (const std::size_t frames : {1U, 2U, 333U}) {
      Bytes wav = encode_wav(pcm(encoding, 1, frames));
      const ProbeResult probed = probe(wav);
      ASSERT_EQ(probed.verdict, ProbeVerdict::good) << probed.text;
      EXPECT_EQ(probed.info.format, "wav/" + std::string(name(encoding)));
      EXPECT_EQ(probed.info.frames, frames);
      EXPECT_EQ(wav.size() % 2, 0U);
      EXPECT_TRUE(is_plain_wav(wav, probed.info));
      wav.push_back(std::byte{0});
      EXPECT_FALSE(is_plain_wav(wav, probed.info));
      wav.pop_back();
      wav[4] ^= std::byte{1};
      EXPECT_FALSE(is_plain_wav(wav, probed.info));
    }
  }
}

TEST(WavWriter, WhatOthersWriteIsPlainWhereItIsTheSame) {
  const TemporaryFolder folder;
  for (const MadeAudio& audio : make_audio(folder, R"(
sf.write('plain16.wav', noise(1001), 16000)
sf.write('plain24.wav', noise(1000), 16000, subtype='PCM_24', format='WAV')
run('sox plain16.wav plain_by_sox.wav')
sf.write('extensible.wav', noise(1000), 16000, format='WAVEX')
sf.write('large.wav', noise(1000), 16000, format='RF64')
sf.write('compressed.wav', noise(1000), 16000, subtype='ULAW')
open('tagged.wav', 'wb').write(open('plain16.wav', 'rb').read() + b'LIST\4\0\0\0abcd')
)")) {
    const std::string wav = content(audio.file);
    const auto bytes = base::as_bytes(wav);
    const bool plain = audio.file.find("/plain") != std::string::npos;
    EXPECT_EQ(is_plain_wav(bytes, probe(bytes).info), plain) << audio.file;
  }
}

}  // namespace
}  // namespace shardmill::audio
