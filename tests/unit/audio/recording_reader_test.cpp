#include "audio/recording_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "audio/made_audio.hpp"
#include "audio/wav.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"

namespace shardmill::audio {
namespace {

using testing::TemporaryFolder;

/// A script that makes a WAV in which frame number n has the value n % 30011.
std::string numbered_script(const std::string& save) {
  return "x = (np.arange(100000) % 30011).astype(np.int16)\n" + save;
}

void expect_numbers(const Pcm& pcm, std::uint64_t begin, std::uint64_t end) {
  ASSERT_EQ(pcm.frames(), end - begin);
  for (std::uint64_t i = 0; i < pcm.frames(); ++i) {
    std::int16_t value = 0;
    std::memcpy(&value, pcm.data.data() + 2 * i, 2);
    ASSERT_EQ(value, static_cast<std::int16_t>((begin + i) % 30011)) << begin << " " << i;
  }
}

/// Cuts every format into pieces and joins them as a WAV, which must have the same values and precision.
TEST(RecordingReader, PiecesOfAllFormatsAreWhatSoundfileReads) {
  const TemporaryFolder folder;
  const std::vector<MadeAudio> made = make_audio(folder, R"(
for subtype in ['PCM_U8', 'PCM_16', 'PCM_24', 'PCM_32', 'FLOAT', 'DOUBLE', 'ULAW', 'ALAW', 'IMA_ADPCM', 'MS_ADPCM', 'GSM610']:
    for channels in [1] if subtype == 'GSM610' else [1, 2]:
        sf.write(f'{subtype}_{channels}.wav', noise(30011, channels), 16000, subtype=subtype)
for container in ['WAVEX', 'RF64', 'W64', 'AIFF', 'AU', 'NIST', 'CAF']:
    for subtype in ['PCM_16', 'PCM_24', 'ULAW']:
        sf.write(f'{container}_{subtype}.bin', noise(5001, 2), 22050, format=container, subtype=subtype)
sf.write('rifx.wav', noise(100), 16000, endian='BIG', format='WAV', subtype='PCM_16')
sf.write('eight.aiff', noise(101), 8000, subtype='PCM_S8')
sf.write('alac.caf', noise(20000, 2), 16000, subtype='ALAC_24')
for subtype in ['PCM_S8', 'PCM_16', 'PCM_24']:
    sf.write(f'{subtype}.flac', noise(100003, 2), 16000, subtype=subtype)
for subtype in ['VORBIS', 'OPUS']:
    sf.write(f'{subtype}.ogg', noise(50001, 2), 16000, format='OGG', subtype=subtype)
sf.write('loud.ogg', np.clip(noise(50001) * 100, -1, 1), 16000, format='OGG', subtype='VORBIS')
sf.write('a.mp3', noise(50001), 16000)
)");
  ASSERT_GT(made.size(), 45U);
  for (const MadeAudio& audio : made) {
    RecordingReader reader(audio.file);
    EXPECT_EQ(reader.info().frames, audio.frames) << audio.file;
    Pcm all = reader.read(0, 7);
    for (std::uint64_t begin = 7; begin < audio.frames; begin += 4999) {
      const Pcm piece = reader.read(begin, begin + 4999);
      all.data.insert(all.data.end(), piece.data.begin(), piece.data.end());
    }
    EXPECT_EQ(reader.decoded_frames(), audio.frames) << audio.file;
    folder.write("wav/" + audio.file.substr(audio.file.rfind('/') + 1) + ".wav",
                 testing::text_of(encode_wav(all)));
  }
  const std::string script = folder.write("compare.py", R"(import os, sys
import numpy as np, soundfile as sf
os.chdir(sys.argv[1])
KEPT = {'PCM_S8': 'PCM_U8', 'ALAC_24': 'PCM_24'} | {k: k for k in ['PCM_U8', 'PCM_16', 'PCM_24', 'PCM_32', 'FLOAT', 'DOUBLE']}
for name in sorted(os.listdir('out')):
    with sf.SoundFile('out/' + name) as f: subtype = f.subtype
    lossy = subtype in ['VORBIS', 'OPUS', 'MPEG_LAYER_III']
    dtype = 'float64' if lossy or subtype in ['FLOAT', 'DOUBLE'] else 'int32'
    with sf.SoundFile('out/' + name) as f:
        given = f.read(f.frames, dtype=dtype)  # at once: soundfile seeks after each read, which MP3 does not do exactly
        rate = f.samplerate
    if lossy: given = np.clip(np.rint(given * 32768), -32768, 32767).astype(np.int32) << 16
    made, made_rate = sf.read('wav/' + name + '.wav', dtype='int32' if lossy else dtype)
    assert sf.info('wav/' + name + '.wav').subtype == KEPT.get(subtype, 'PCM_16'), (name, subtype)
    assert rate == made_rate and np.array_equal(given, made), name
print('equal')
)");
  EXPECT_EQ(testing::command_output("/usr/bin/python3 " + script + " " + folder.path().string()), "equal\n");
}

TEST(RecordingReader, RangesMayOverlapLeaveGapsAndGoBack) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, numbered_script("sf.write('a.wav', x, 16000)\n"
                                                       "sf.write('a.flac', x, 16000)"));
  for (const MadeAudio& audio : made) {
    RecordingReader reader(testing::bytes_of(content(audio.file)), "a");
    expect_numbers(reader.read(100, 5000), 100, 5000);
    expect_numbers(reader.read(100, 5000), 100, 5000);
    expect_numbers(reader.read(200, 300), 200, 300);
    expect_numbers(reader.read(1000, 9000), 1000, 9000);
    EXPECT_EQ(reader.decoded_frames(), 8900U);
    expect_numbers(reader.read(50'000, 50'001), 50'000, 50'001);
    expect_numbers(reader.read(60'000, 60'000), 60'000, 60'000);
    expect_numbers(reader.read(99'000, 100'000), 99'000, 100'000);
    EXPECT_EQ(reader.decoded_frames(), 8900U + 1 + 1000);
    expect_numbers(reader.read(10, 20), 10, 20);
    expect_numbers(reader.read(0, 100'000), 0, 100'000);
    EXPECT_EQ(reader.read(1, 100'001).frames(), 99'999U);
    EXPECT_EQ(reader.read(100'000, 100'001).frames(), 0U);
    EXPECT_EQ(reader.read(200'000, ~std::uint64_t{0}).frames(), 0U);
    EXPECT_EQ(reader.read(30, 20).frames(), 0U);
    expect_numbers(reader.read(40, 41), 40, 41);
  }
}

TEST(RecordingReader, ReadsTheAudioThatAHeaderLeavesOut) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, numbered_script("sf.write('a.wav', x, 16000)\n"
                                                       "sf.write('b.au', x, 16000, subtype='PCM_16')"));
  for (const MadeAudio& audio : made) {
    const bool is_wav = audio.file.ends_with(".wav");
    for (const char* size : {"\0\0\0\0", "\0\x10\0\0"}) {
      if (!is_wav && size[1] != 0) continue;  // an AU has no other size that contradicts this one
      std::string lying = content(audio.file);
      lying.replace(is_wav ? 40 : 8, 4, std::string(size, 4));
      RecordingReader in_memory(testing::bytes_of(lying), "a");
      RecordingReader file(folder.write("lying", lying));
      for (RecordingReader* reader : {&in_memory, &file}) {
        EXPECT_EQ(reader->info().frames, 100'000U);
        expect_numbers(reader->read(100, 5000), 100, 5000);
        expect_numbers(reader->read(99'000, 100'000), 99'000, 100'000);
        expect_numbers(reader->read(10, 20), 10, 20);
      }
    }
    std::string tagged = content(audio.file);
    RecordingReader whole(folder.write("tagged", tagged + "LIST" + std::string("\4\0\0\0INFO", 8)));
    EXPECT_EQ(whole.info().frames, 100'000U);
  }
}

TEST(RecordingReader, ShortAudioIsShortAndDamageIsAnError) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, numbered_script("sf.write('a.flac', x + noise(100000) * 1000, 16000)\n"
                                                       "sf.write('b.wav', x, 16000)"));
  std::string flac = content(made[0].file);
  std::fill_n(flac.begin() + static_cast<std::ptrdiff_t>(flac.size() / 2), 3000, '\x5a');
  RecordingReader damaged(testing::bytes_of(flac), "a.flac");
  EXPECT_EQ(damaged.read(0, 1000).frames(), 1000U);
  EXPECT_THROW(damaged.read(2000, 100'000), Error);
  EXPECT_THROW(damaged.read(2000, 100'000), Error);

  RecordingReader cut(testing::bytes_of(content(made[1].file).substr(0, 44 + 2 * 500)), "b.wav");
  expect_numbers(cut.read(0, 1000), 0, 500);
}

TEST(RecordingReader, WhatIsNoAudioIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text.wav", "hello");
  try {
    RecordingReader reader(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("text.wav: is not audio"), std::string::npos) << error.what();
  }
  EXPECT_THROW(RecordingReader(folder.file("missing.wav")), Error);
  EXPECT_THROW(RecordingReader(Bytes{}, "nothing"), Error);
  EXPECT_THROW(RecordingReader("/"), Error);
}

TEST(RecordingReader, AFlacThatDoesNotSayHowLongItIs) {
  const TemporaryFolder folder;
  std::string flac = content(make_audio(folder, numbered_script("sf.write('a.flac', x, 16000)"))[0].file);
  flac[21] = static_cast<char>(flac[21] & 0xf0);
  std::fill_n(flac.begin() + 22, 4, '\0');
  RecordingReader reader(testing::bytes_of(flac), "a.flac");
  EXPECT_EQ(reader.info().frames, 0U);
  EXPECT_EQ(reader.info().sample_rate, 16000U);
  expect_numbers(reader.read(70'000, 100'000), 70'000, 100'000);
}

}  // namespace
}  // namespace shardmill::audio
