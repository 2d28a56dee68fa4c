#include "audio/transform.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "audio/made_audio.hpp"
#include "audio/probe.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"

namespace shardmill::audio {
namespace {

using testing::TemporaryFolder;
using Container = WantedForm::Container;

std::optional<Transformed> transform_text(const std::string& audio, const WantedForm& form) {
  const auto bytes = base::as_bytes(audio);
  const ProbeResult probed = probe(bytes);
  EXPECT_TRUE(probed.usable()) << probed.text;
  return transform(bytes, probed.info, form);
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Writes every file, transformed or unchanged, to `folder`/NAME.suffix, and prints what the probe finds
/// there.
void transform_all(const std::vector<MadeAudio>& made, const TemporaryFolder& folder,
                   const std::string& suffix, const WantedForm& form) {
  for (const MadeAudio& audio : made) {
    const std::string source = content(audio.file);
    const auto result = transform_text(source, form);
    if (!result) {
      folder.write("made/" + base_name(audio.file) + suffix, source);
      continue;
    }
    ASSERT_EQ(result->problem, "") << audio.file;
    const ProbeResult probed = probe(result->bytes);
    EXPECT_EQ(probed.verdict, ProbeVerdict::good) << audio.file << probed.text;
    EXPECT_EQ(probed.info.format, result->info.format) << audio.file;
    EXPECT_EQ(probed.info.frames, result->info.frames) << audio.file;
    EXPECT_EQ(probed.info.sample_rate, result->info.sample_rate) << audio.file;
    EXPECT_EQ(probed.info.channels, result->info.channels) << audio.file;
    EXPECT_FALSE(transform(result->bytes, result->info, form)) << audio.file << " once more";
    folder.write("made/" + base_name(audio.file) + suffix, testing::text_of(result->bytes));
  }
}

/// Runs a script in a folder that contains out (originals) and made (transformed).
std::string compare(const TemporaryFolder& folder, const std::string& script) {
  const std::string path = folder.write("compare.py", R"(import os, sys, subprocess
import numpy as np, soundfile as sf
os.chdir(sys.argv[1])
def run(command): subprocess.run(command, shell=True, check=True, stderr=subprocess.DEVNULL)
def read(name, dtype='float64'):
    with sf.SoundFile(name) as f: return f.read(f.frames, dtype=dtype)
)" + script);
  return testing::command_output("/usr/bin/python3 " + path + " " + folder.path().string());
}

constexpr const char* kAllFormats = R"(
for subtype in ['PCM_U8', 'PCM_16', 'PCM_24', 'PCM_32', 'FLOAT', 'DOUBLE', 'ULAW', 'ALAW', 'IMA_ADPCM', 'MS_ADPCM']:
    for channels in [1, 2]:
        sf.write(f'{subtype}_{channels}.wav', noise(10011, channels), 16000, subtype=subtype)
for container in ['WAVEX', 'RF64', 'W64', 'AIFF', 'AU', 'NIST', 'CAF']:
    for subtype in ['PCM_16', 'PCM_24']:
        sf.write(f'{container}_{subtype}.bin', noise(5001, 2), 22050, format=container, subtype=subtype)
sf.write('many.wav', noise(1000, 8), 48000)
sf.write('odd.wav', noise(1001), 12347, subtype='PCM_24')
sf.write('high.wav', noise(1001), 192000)
sf.write('eight.aiff', noise(101), 8000, subtype='PCM_S8')
for subtype in ['PCM_S8', 'PCM_16', 'PCM_24']:
    sf.write(f'{subtype}.flac', noise(10003, 2), 16000, subtype=subtype)
run('sox PCM_16_1.wav -t wav - | cat > piped.wav')
for subtype in ['VORBIS', 'OPUS']:
    sf.write(f'{subtype}.ogg', noise(20001, 2), 16000, format='OGG', subtype=subtype)
sf.write('a.mp3', noise(20001), 16000)
)";

TEST(Transform, OnlyTheContainerChangesAndEveryValueStays) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, kAllFormats);
  ASSERT_GT(made.size(), 40U);
  transform_all(made, folder, ".wav", {.container = Container::wav});
  transform_all(made, folder, ".flac", {.container = Container::flac});
  EXPECT_EQ(compare(folder, R"(
for name in sorted(os.listdir('out')):
    with sf.SoundFile('out/' + name) as f: subtype = f.subtype
    floats = subtype in ['FLOAT', 'DOUBLE']
    lossy = subtype in ['VORBIS', 'OPUS', 'MPEG_LAYER_III']
    given = read('out/' + name, 'float64' if floats or lossy else 'int32')
    if lossy: given = np.clip(np.rint(given * 32768), -32768, 32767).astype(np.int32) << 16
    assert np.array_equal(read(f'made/{name}.wav', 'float64' if floats else 'int32'), given), name
    if floats: given = np.rint(given * 2**23).astype(np.int32) << 8
    if subtype == 'PCM_32': given = np.clip(np.rint(given / 256), -2**23, 2**23 - 1).astype(np.int32) << 8
    assert np.array_equal(read(f'made/{name}.flac', 'int32'), given), name
    for e in ['wav', 'flac']:
        assert sf.info(f'made/{name}.{e}').samplerate == sf.info(f'out/{name}').samplerate, name
run('flac -s -t made/*.flac')
print('equal')
)"),
            "equal\n");
}

TEST(Transform, ResamplesAsSoxDoes) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, R"(
t = np.arange(88200) / 44100
for rate in [8000, 11025, 16000, 22050, 32000, 44100, 48000]:
    sf.write(f'noise_{rate}.wav', noise(rate + 7, 2), rate, subtype='FLOAT')
    sf.write(f'noise16_{rate}.wav', noise(rate + 7), rate)
sf.write('sweep.wav', 0.25 * np.sin(2 * np.pi * (20 * t + 5500 * t * t)), 44100, subtype='PCM_24')
for rate in [22050, 44100, 48000]:
    sf.write(f'tone_{rate}.wav', 0.5 * np.sin(2 * np.pi * 6500 / rate * np.arange(2 * rate)), rate, subtype='PCM_24')
sf.write('short.wav', noise(3), 44100)
)");
  for (const std::uint32_t rate : {8000U, 16000U, 22050U, 48000U}) {
    transform_all(made, folder, "." + std::to_string(rate) + ".wav", {.sample_rate = rate});
  }
  EXPECT_EQ(compare(folder, R"(
for name in sorted(os.listdir('out')):
    for rate in [8000, 16000, 22050, 48000]:
        run(f'sox -D out/{name} sox.wav rate -v {rate}')
        expected, got = read('sox.wav'), read(f'made/{name}.{rate}.wav')
        assert expected.shape == got.shape, (name, rate, expected.shape, got.shape)
        if name == 'short.wav': continue
        # In several steps, what rings before the first frame is lost between them, in soxr's as in sox's.
        error = (got - expected)[rate // 400:]
        level = 10 * np.log10(np.mean(error ** 2) + 1e-30)
        # White noise up to the edge of the band, where both droop when they raise a rate by an odd ratio.
        assert level < (-80 if '11025' in name and rate == 48000 else -90), (name, rate, level)
print('near')
)"),
            "near\n");
}

TEST(Transform, WhatWasWrittenToAPipeGetsAHeaderThatSaysHowLongItIs) {
  const TemporaryFolder folder;
  for (const MadeAudio& audio : make_audio(folder, R"(
sf.write('in.wav', noise(70001, 2), 16000)
with open('in.wav', 'rb') as f: wav = f.read()
with open('unset.wav', 'wb') as f: f.write(wav[:40] + bytes(4) + wav[44:])
run('flac -s -f in.wav -o in.flac')
with open('in.flac', 'rb') as f: flac = bytearray(f.read())
flac[21] &= 0xf0
flac[22:26] = bytes(4)
with open('unset.flac', 'wb') as f: f.write(flac)
with open('tagged.flac', 'wb') as f: f.write(b'ID3\x03\0\0\0\0\0\x0a' + bytes(10) + open('in.flac', 'rb').read())
)")) {
    const std::string source = content(audio.file);
    const bool is_flac = audio.file.ends_with(".flac");
    const bool is_plain = base_name(audio.file).starts_with("in.");
    for (const Container container : {Container::wav, Container::flac}) {
      const auto result = transform_text(source, {.container = container});
      ASSERT_EQ(result.has_value(), !is_plain || is_flac != (container == Container::flac)) << audio.file;
      if (!result) continue;
      EXPECT_EQ(result->problem, "") << audio.file;
      const ProbeResult probed = probe(result->bytes);
      EXPECT_EQ(probed.verdict, ProbeVerdict::good) << audio.file;
      EXPECT_EQ(probed.info.frames, 70001U) << audio.file;
    }
  }
}

TEST(Transform, MonoIsTheMeanRoundedOnce) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, R"(
for subtype in ['PCM_U8', 'PCM_16', 'PCM_24', 'FLOAT']:
    for channels in [1, 2, 3]:
        sf.write(f'{subtype}_{channels}.wav', noise(10011, channels), 16000, subtype=subtype)
)");
  transform_all(made, folder, ".wav", {.mono = true});
  EXPECT_EQ(compare(folder, R"(
for name in sorted(os.listdir('out')):
    given, got = read('out/' + name), read(f'made/{name}.wav')
    mean = given if given.ndim == 1 else given.mean(axis=1)
    bits = {'PCM_U8': 16, 'PCM_16': 16, 'PCM_24': 24, 'FLOAT': 0}[name[:-6]]
    assert got.ndim == 1
    if bits: mean = np.rint(mean * 2 ** (bits - 1)) / 2 ** (bits - 1)
    assert np.abs(got - mean).max() < 1e-8 or np.mean(np.abs(got - mean) > 1e-8) < 1e-3, name  # ties of three
print('equal')
)"),
            "equal\n");
}

TEST(Transform, SeesChannelsThatCancelEachOther) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, R"(
sound = noise(20011, 1).reshape(-1)
for name, other in [('opposite', -sound), ('almost', -0.9 * sound), ('half', -0.5 * sound), ('one', 0 * sound)]:
    sf.write(f'{name}.wav', np.stack([sound, other], axis=1), 16000, subtype='PCM_16')
sf.write('silent.wav', np.zeros((20011, 2)), 16000, subtype='PCM_16')
)");
  std::set<std::string> cancelled;
  for (const auto& audio : made) {
    const std::string stereo = content(audio.file);
    if (transform_text(stereo, {.sample_rate = 8000, .mono = true})->channels_cancel)
      cancelled.insert(base_name(audio.file));
    EXPECT_FALSE(transform_text(stereo, {.one_channel = 0})->channels_cancel) << audio.file;
  }
  EXPECT_EQ(cancelled, (std::set<std::string>{"almost.wav", "opposite.wav"}));
}

TEST(Transform, CountsWhatIsClipped) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, R"(
sf.write('square.wav', np.where(np.arange(44100) // 50 % 2, 0.999, -0.999), 44100)
sf.write('loud.wav', np.array([0.5, 1.5, -1.5, -1.0, 0.1]), 16000, subtype='FLOAT')
sf.write('quiet.wav', noise(1000) * 0.1, 44100)
)");
  const auto clipped = [&](std::size_t file, const WantedForm& form) {
    const auto result = transform_text(content(made[file].file), form);
    return result ? result->clipped : 0;
  };
  EXPECT_EQ(clipped(0, {.container = Container::flac}), 2U);  // loud.wav
  EXPECT_EQ(clipped(0, {.container = Container::wav}), 0U);
  EXPECT_EQ(clipped(1, {.sample_rate = 16000}), 0U);
  EXPECT_GT(clipped(2, {.sample_rate = 16000}), 100U);
}

TEST(Transform, WhatHasTheFormIsNotTouched) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder,
                               "sf.write('a.flac', noise(1000), 16000)\n"
                               "sf.write('b.wav', noise(1000), 16000)\n"
                               "sf.write('c.wav', noise(1000), 16000, format='WAVEX')\n");
  const WantedForm same{.sample_rate = 16000, .mono = true};
  for (const MadeAudio& audio : made) {
    EXPECT_FALSE(transform_text(content(audio.file), {}));
    EXPECT_FALSE(transform_text(content(audio.file), same));
  }
  EXPECT_FALSE(transform_text(content(made[0].file), {.container = Container::flac}));
  EXPECT_FALSE(transform_text(content(made[1].file), {.container = Container::wav}));
  EXPECT_TRUE(transform_text(content(made[2].file), {.container = Container::wav}));
}

TEST(Transform, KeptContainersAndTheirSubstitute) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder,
                               "sf.write('a.flac', noise(1000), 44100)\n"
                               "sf.write('b.ogg', noise(5000), 44100)\n"
                               "sf.write('c.aiff', noise(1000), 44100, subtype='PCM_24')\n"
                               "sf.write('d.wav', noise(1000), 44100, subtype='PCM_U8')\n");
  std::string formats;
  for (const MadeAudio& audio : made) {
    formats += transform_text(content(audio.file), {.sample_rate = 16000})->info.format + " ";
  }
  EXPECT_EQ(formats, "flac/pcm16 wav/pcm16 wav/pcm24 wav/pcm16 ");
}

TEST(Transform, SaysWhatItCannotDo) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, R"(
sf.write('damaged.flac', noise(100000), 16000)
sf.write('eternal.flac', np.zeros(6_000_000, dtype=np.int16), 16000)
sf.write('nan.wav', np.array([0, np.nan, 1]), 16000, subtype='FLOAT')
sf.write('nine.wav', noise(100, 9), 16000)
)");
  const auto problem = [](const std::string& audio, const WantedForm& form) {
    const auto result = transform_text(audio, form);
    return result ? result->problem : "untouched";
  };
  std::string damaged = content(made[0].file);
  const AudioInfo info = probe(base::as_bytes(damaged)).info;
  std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(damaged.size() / 2), 3000, '\x5a');
  const auto result = transform(base::as_bytes(damaged), info, {.container = Container::wav});
  ASSERT_TRUE(result);
  EXPECT_NE(result->problem.find("of 100000 frames can be decoded"), std::string::npos);
  const std::string eternal = content(made[1].file);
  EXPECT_EQ(problem(eternal, {.sample_rate = 700'000}), "it would be more than 256 MiB of values");
  EXPECT_EQ(problem(content(made[2].file), {.container = Container::flac}),
            "holds values that are not numbers");
  EXPECT_EQ(problem(content(made[3].file), {.container = Container::flac}),
            "it has 9 channels, a FLAC has 8 at most");
  EXPECT_EQ(problem(content(made[3].file), {.sample_rate = 10}), "nothing is left of it at 10 Hz");
}

TEST(Transform, ManyThreadsMakeTheSame) {
  const TemporaryFolder folder;
  std::vector<std::string> audio;
  for (const MadeAudio& made : make_audio(folder, R"(
for e in ['wav', 'flac', 'ogg', 'mp3']: sf.write('a.' + e, noise(30000, 2), 44100)
)")) {
    audio.push_back(content(made.file));
  }
  const WantedForm form{.container = Container::flac, .sample_rate = 16000, .mono = true};
  std::vector<Bytes> expected;
  for (const std::string& bytes : audio) expected.push_back(transform_text(bytes, form)->bytes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        for (std::size_t n = 0; n < audio.size(); ++n) {
          EXPECT_EQ(transform_text(audio[n], form)->bytes, expected[n]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace shardmill::audio
