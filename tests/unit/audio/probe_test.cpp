#include "audio/probe.hpp"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "audio/made_audio.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {
namespace {

using testing::TemporaryFolder;

ProbeResult probe_text(std::string_view audio) {
  return probe(base::as_bytes(audio));
}

void put(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

/// A canonical WAV of 16-bit mono at 16 kHz.
std::string wav(std::uint32_t frames) {
  std::string out("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3e\0\0\0\x7d\0\0\2\0\x10\0data\0\0\0\0", 44);
  put(out, 4, 36 + 2 * frames, 4);
  put(out, 40, 2 * frames, 4);
  for (std::uint32_t i = 0; i < 2 * frames; ++i) out += static_cast<char>(i * 37);
  return out;
}

constexpr std::size_t kWavRiffSize = 4;
constexpr std::size_t kWavChannels = 22;
constexpr std::size_t kWavRate = 24;
constexpr std::size_t kWavFrameBytes = 32;
constexpr std::size_t kWavDataSize = 40;

TEST(Probe, AgreesWithLibsndfileOnAllFormats) {
  const TemporaryFolder folder;
  const std::vector<MadeAudio> made = make_audio(folder, R"(
for subtype in ['PCM_U8', 'PCM_16', 'PCM_24', 'PCM_32', 'FLOAT', 'DOUBLE', 'ULAW', 'ALAW', 'IMA_ADPCM', 'MS_ADPCM', 'GSM610']:
    for rate, channels, frames in [(16000, 1, 12345), (44100, 2, 4410), (8000, 1, 1)]:
        if subtype == 'GSM610' and channels > 1: continue
        sf.write(f'{subtype}_{rate}.wav', noise(frames, channels), rate, subtype=subtype)
for container in ['WAVEX', 'RF64', 'W64', 'AIFF', 'AU', 'NIST', 'CAF']:
    for subtype in ['PCM_16', 'PCM_24', 'ULAW']:
        sf.write(f'{container}_{subtype}.bin', noise(5001, 2), 22050, format=container, subtype=subtype)
sf.write('rifx.wav', noise(100), 16000, endian='BIG', format='WAV', subtype='PCM_16')
sf.write('little.au', noise(100), 16000, endian='LITTLE', format='AU', subtype='PCM_16')
for subtype in ['PCM_S8', 'PCM_16', 'PCM_24']:
    for rate, channels, frames in [(16000, 1, 100003), (48000, 6, 9999), (12345, 2, 4096), (8000, 1, 1)]:
        sf.write(f'{subtype}_{rate}.flac', noise(frames, channels), rate, subtype=subtype)
for subtype in ['VORBIS', 'OPUS']:
    for rate, channels, frames in [(16000, 1, 100003), (48000, 2, 999)]:
        sf.write(f'{subtype}_{rate}.ogg', noise(frames, channels), rate, format='OGG', subtype=subtype)
for rate, channels, frames in [(16000, 1, 100003), (44100, 2, 4999), (8000, 1, 1001)]:
    sf.write(f'{rate}.mp3', noise(frames, channels), rate, format='MP3', subtype='MPEG_LAYER_III')
sf.write('in.wav', noise(70001), 16000)
for level in range(9): run(f'flac -s -f -{level} in.wav -o level{level}.flac')
run('flac -s -f --lax -b 65535 in.wav -o huge_blocks.flac')
run('flac -s -f -b 16 in.wav -o tiny_blocks.flac')
run('flac -s -f --tag=TITLE=x --padding=100000 in.wav -o tags.flac')
run('sox in.wav -c 2 sox.wav; sox in.wav sox.flac; sox in.wav sox.sph; sox in.wav sox.aiff; sox in.wav sox.au; sox in.wav -e float -b 32 float.wav; sox in.wav -b 24 wide.wav')
)");
  const std::map<std::string, std::string> encodings{
      {"PCM_U8", "pcm8"},         {"PCM_S8", "pcm8"},       {"PCM_16", "pcm16"},
      {"PCM_24", "pcm24"},        {"PCM_32", "pcm32"},      {"FLOAT", "float32"},
      {"DOUBLE", "float64"},      {"ULAW", "ulaw"},         {"ALAW", "alaw"},
      {"IMA_ADPCM", "ima_adpcm"}, {"MS_ADPCM", "ms_adpcm"}, {"GSM610", "gsm610"},
      {"VORBIS", "vorbis"},       {"OPUS", "opus"}};
  const std::map<std::string, std::string> containers{
      {"WAV", "wav"}, {"WAVEX", "wav"}, {"RF64", "wav"}, {"W64", "w64"},   {"AIFF", "aiff"},
      {"AU", "au"},   {"NIST", "sph"},  {"CAF", "caf"},  {"FLAC", "flac"}, {"OGG", "ogg"}};
  EXPECT_GT(made.size(), 80U);
  for (const MadeAudio& audio : made) {
    const ProbeResult result = probe_text(content(audio.file));
    EXPECT_EQ(result.verdict, ProbeVerdict::good) << audio.file << " " << result.text;
    EXPECT_EQ(result.info.sample_rate, audio.sample_rate) << audio.file;
    EXPECT_EQ(result.info.channels, audio.channels) << audio.file;
    EXPECT_EQ(result.info.frames, audio.frames) << audio.file;
    const std::size_t slash = audio.format.find('/');
    const std::string subtype = audio.format.substr(slash + 1);
    if (subtype == "MPEG_LAYER_III") {
      EXPECT_EQ(result.info.format, "mp3") << audio.file;
    } else {
      EXPECT_EQ(result.info.format,
                containers.at(audio.format.substr(0, slash)) + "/" + encodings.at(subtype))
          << audio.file;
    }
  }
}

TEST(Probe, WhatWasWrittenToAPipeIsMeasuredByWhatIsThere) {
  const TemporaryFolder folder;
  const std::vector<MadeAudio> made = make_audio(folder, R"(
sf.write('in.raw', noise(70001), 16000, format='RAW', subtype='PCM_16')
raw = '-t raw -r 16000 -e signed -b 16 -c 1 -'
for e in ['wav', 'au', 'aiff', 'flac']: run(f'cat in.raw | sox {raw} -t {e} - | cat > sox.{e}')
run('cat in.raw | flac -s -c --force-raw-format --endian=little --sign=signed --channels=1 --bps=16 --sample-rate=16000 - | cat > flac.flac')
os.remove('in.raw')
)");
  for (const MadeAudio& audio : made) {
    const ProbeResult result = probe_text(content(audio.file));
    EXPECT_EQ(result.verdict, ProbeVerdict::size_unknown) << audio.file << " " << result.text;
    EXPECT_EQ(result.info.frames, 70001U) << audio.file;
  }
  for (const std::uint64_t size : {0U, 0xffffffffU, 0x7fffffffU, 0x7ffff000U, 0x80000000U, 0xfffffff0U}) {
    std::string streamed = wav(1000);
    put(streamed, kWavDataSize, size, 4);
    put(streamed, kWavRiffSize, size, 4);
    const ProbeResult result = probe_text(streamed);
    EXPECT_EQ(result.verdict, ProbeVerdict::size_unknown) << size;
    EXPECT_EQ(result.info.frames, 1000U);
  }
}

TEST(Probe, AWavWithoutAudioMayHaveOtherChunksBehindIt) {
  EXPECT_EQ(probe_text(wav(0) + std::string("LIST\4\0\0\0INFO", 12)).verdict, ProbeVerdict::empty);
}

TEST(Probe, FlacWithoutATotalIsMeasuredByItsLastFrame) {
  const TemporaryFolder folder;
  for (const MadeAudio& audio : make_audio(folder, R"(
sf.write('in.wav', noise(70001, 2), 16000)
for level in [0, 5, 8]: run(f'flac -s -f -{level} in.wav -o {level}.flac')
os.remove('in.wav')
)")) {
    std::string flac = content(audio.file);
    flac[21] = static_cast<char>(flac[21] & 0xf0);
    put(flac, 22, 0, 4);
    const ProbeResult result = probe_text(flac);
    EXPECT_EQ(result.verdict, ProbeVerdict::size_unknown);
    EXPECT_EQ(result.info.frames, 70001U);
    EXPECT_EQ(probe_text(flac.substr(0, flac.size() - 1)).verdict, ProbeVerdict::truncated);
  }
}

TEST(Probe, EveryCutOfAWavIsSeen) {
  const std::string whole = wav(100);
  EXPECT_EQ(probe_text(whole).verdict, ProbeVerdict::good);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const ProbeResult result = probe_text(whole.substr(0, cut));
    const ProbeVerdict expected = cut == 0                 ? ProbeVerdict::empty
                                  : cut < 12               ? ProbeVerdict::unrecognised
                                  : cut == 12 || cut == 36 ? ProbeVerdict::empty
                                                           : ProbeVerdict::truncated;
    EXPECT_EQ(result.verdict, expected) << cut;
  }
}

// libsndfile, sox and Python's wave also compute it from channels and bits.
TEST(Probe, AWrongFrameSizeInAWavHeaderIsOfNoImportance) {
  for (const std::uint64_t frame_bytes : {0U, 1U, 3U, 4U, 0xffffU}) {
    std::string audio = wav(1000);
    put(audio, kWavFrameBytes, frame_bytes, 2);
    const ProbeResult result = probe_text(audio);
    EXPECT_EQ(result.verdict, ProbeVerdict::good) << frame_bytes << " " << result.text;
    EXPECT_EQ(result.info.frames, 1000U) << frame_bytes;
    EXPECT_EQ(result.info.format, "wav/pcm16") << frame_bytes;
  }
}

TEST(Probe, CutsOfOtherFormatsAreSeen) {
  const TemporaryFolder folder;
  for (const MadeAudio& audio : make_audio(folder, R"(
sf.write('a.flac', noise(30000), 16000)
sf.write('a.sph', noise(3000), 16000, format='NIST', subtype='PCM_16')
sf.write('a.aiff', noise(3000), 16000)
sf.write('a.au', noise(3000), 16000)
sf.write('a.mp3', noise(30000), 16000)
sf.write('vorbis.ogg', noise(30000), 16000, subtype='VORBIS')
sf.write('opus.ogg', noise(30000), 16000, subtype='OPUS')
)")) {
    const std::string whole = content(audio.file);
    EXPECT_EQ(probe_text(whole).verdict, ProbeVerdict::good) << audio.file;
    int good = 0;
    for (std::size_t cut = 1; cut < whole.size(); cut += 97) {
      const ProbeResult result = probe_text(whole.substr(0, whole.size() - cut));
      good += result.verdict == ProbeVerdict::good ? 1 : 0;
      EXPECT_NE(result.verdict, ProbeVerdict::good) << audio.file << " cut by " << cut;
    }
    EXPECT_EQ(good, 0) << audio.file;
  }
}

TEST(Probe, AFlacCutBetweenTwoFramesIsTruncated) {
  const TemporaryFolder folder;
  const std::string whole = content(make_audio(folder, "sf.write('a.flac', noise(30000), 16000)").at(0).file);
  std::size_t cuts = 0;
  for (std::size_t at = whole.find("\xff\xf8", 100); at != std::string::npos;
       at = whole.find("\xff\xf8", at + 1)) {
    EXPECT_EQ(probe_text(whole.substr(0, at)).verdict, ProbeVerdict::truncated) << at;
    ++cuts;
  }
  EXPECT_GE(cuts, 7U);
}

TEST(Probe, WhatFollowsTheAudioDoesNoHarm) {
  const TemporaryFolder folder;
  EXPECT_EQ(probe_text(wav(100) + std::string("LIST\4\0\0\0abcd", 12)).info.frames, 100U);
  EXPECT_EQ(probe_text(wav(100) + "junk").verdict, ProbeVerdict::good);
  const std::string id3v1 = "TAG" + std::string(125, ' ');
  const std::string id3v2("ID3\4\0\0\0\0\0\5tag..", 15);
  for (const MadeAudio& audio : make_audio(folder, R"(
sf.write('a.flac', noise(30000), 16000)
sf.write('a.mp3', noise(30000), 16000)
sf.write('a.ogg', noise(30000), 16000)
)")) {
    const std::string whole = content(audio.file);
    EXPECT_EQ(probe_text(whole + id3v1).verdict, ProbeVerdict::good) << audio.file;
    EXPECT_EQ(probe_text(whole + id3v1).info.frames, 30000U) << audio.file;
    EXPECT_EQ(probe_text(whole + "some other junk").info.frames, 30000U) << audio.file;
    if (!audio.file.ends_with(".ogg")) {
      EXPECT_EQ(probe_text(id3v2 + whole).info.frames, 30000U) << audio.file;
    }
  }
}

TEST(Probe, AnMp3WithoutContentsIsCounted) {
  const TemporaryFolder folder;
  const std::string whole = content(make_audio(folder, "sf.write('a.mp3', noise(16000), 16000)").at(0).file);
  const std::size_t second = whole.find(whole.substr(0, 2), 2);
  const std::string bare = whole.substr(second);
  const ProbeResult result = probe_text(bare);
  EXPECT_EQ(result.verdict, ProbeVerdict::good);
  EXPECT_EQ(result.info.frames % 576, 0U);
  EXPECT_GE(result.info.frames, 16000U);
  EXPECT_LE(result.info.frames, 16000U + 4 * 576);
  EXPECT_EQ(probe_text(bare.substr(0, bare.size() - 1)).verdict, ProbeVerdict::truncated);
}

TEST(Probe, AbsurdRatesAndChannelsAreRefused) {
  for (const std::uint64_t rate : {0U, 768'001U, 0xffffffffU}) {
    std::string absurd = wav(10);
    put(absurd, kWavRate, rate, 4);
    EXPECT_EQ(probe_text(absurd).verdict, ProbeVerdict::absurd) << rate;
  }
  for (const std::uint64_t channels : {0U, 65U, 65535U}) {
    std::string absurd = wav(10);
    put(absurd, kWavChannels, channels, 2);
    put(absurd, 32, 2 * channels, 2);
    EXPECT_EQ(probe_text(absurd).verdict, ProbeVerdict::absurd) << channels;
  }
}

TEST(Probe, SaysWhatItDoesNotRead) {
  using namespace std::string_view_literals;
  EXPECT_EQ(probe_text("wvpk and more"sv).verdict, ProbeVerdict::unsupported);
  EXPECT_EQ(probe_text("MThd and more"sv).verdict, ProbeVerdict::unsupported);
  EXPECT_FALSE(probe_text("\0\0\0\x20"
                          "ftypM4A \0\0\0\0"sv)
                   .usable());
  EXPECT_EQ(probe_text("hello, this is text"sv).verdict, ProbeVerdict::unrecognised);
  EXPECT_EQ(probe_text("\xff\xfb"sv).verdict, ProbeVerdict::unrecognised);
  EXPECT_EQ(probe_text(std::string(1000, '\0')).verdict, ProbeVerdict::unrecognised);
  EXPECT_EQ(probe_text(wav(0)).verdict, ProbeVerdict::empty);
}

TEST(Probe, ManyThreadsAtOnceSeeTheSame) {
  const TemporaryFolder folder;
  std::vector<std::string> audio;
  for (const MadeAudio& made : make_audio(folder, R"(
for e in ['wav', 'flac', 'ogg', 'mp3', 'aiff']: sf.write('a.' + e, noise(30000), 16000)
)")) {
    audio.push_back(content(made.file));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&audio] {
      for (int round = 0; round < 20; ++round) {
        for (const std::string& bytes : audio) EXPECT_EQ(probe_text(bytes).info.frames, 30000U);
        EXPECT_FALSE(probe_text("RIFX garbage").usable());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace shardmill::audio
