#include "audio/sound_hash.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "audio/made_audio.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {
namespace {

TEST(SoundHash, IsThatOfTheValuesWhateverHoldsThem) {
  const testing::TemporaryFolder folder;
  std::map<std::string, std::optional<base::Xxh128>> hashes;
  // More than a block of values, so that blocks are joined, too. 16 bits also fit into 24 and into floats.
  for (const MadeAudio& made : make_audio(folder, R"(
values = (noise(1_200_000) * 32767).astype('int16')
for name, subtype in (('a16.wav', 'PCM_16'), ('a24.wav', 'PCM_24'), ('a.flac', 'PCM_16'),
                      ('a24.flac', 'PCM_24'), ('a.aiff', 'PCM_16'), ('a.w64', 'PCM_16')):
    sf.write(name, values, 16000, subtype=subtype)
sf.write('afloat.wav', values.astype('float32') / 32768, 16000, subtype='FLOAT')
sf.write('b.wav', values, 8000, subtype='PCM_16')
sf.write('c.wav', np.stack([values, values], 1), 16000, subtype='PCM_16')
sf.write('d.wav', values[:-1], 16000, subtype='PCM_16')
values[1_100_000] += 1
sf.write('e.wav', values, 16000, subtype='PCM_16')
)")) {
    const std::string bytes = content(made.file);
    hashes[made.file.substr(made.file.rfind('/') + 1)] = sound_hash(base::as_bytes(bytes));
  }
  ASSERT_TRUE(hashes.at("a16.wav").has_value());
  for (const char* same : {"a24.wav", "afloat.wav", "a.flac", "a24.flac", "a.aiff", "a.w64"})
    EXPECT_EQ(hashes.at(same), hashes.at("a16.wav")) << same;
  // Another rate, another number of channels, a value less, and one that is another.
  std::set<std::string> others;
  for (const char* other : {"a16.wav", "b.wav", "c.wav", "d.wav", "e.wav"}) {
    ASSERT_TRUE(hashes.at(other).has_value()) << other;
    others.insert(base::to_hex(hashes.at(other)->bytes));
  }
  EXPECT_EQ(others.size(), 5u);
}

TEST(SoundHash, WhatCannotBeDecodedHasNone) {
  const testing::TemporaryFolder folder;
  const auto made = make_audio(
      folder, "sf.write('empty.wav', np.zeros(0), 16000)\nsf.write('x.flac', noise(9000), 16000)\n");
  for (const std::string& bytes : {std::string(), std::string("no audio"), content(made.front().file),
                                   content(made.back().file).substr(0, 30)}) {
    EXPECT_EQ(sound_hash(base::as_bytes(bytes)), std::nullopt) << bytes.size();
  }
}

}  // namespace
}  // namespace shardmill::audio
