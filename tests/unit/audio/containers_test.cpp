#include "audio/containers.hpp"

#include <gtest/gtest.h>

#include "audio/made_audio.hpp"
#include "base/hash/crc32.hpp"
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

namespace {

using testing::TemporaryFolder;

std::string damage(const std::string& ogg) {
  return ogg_damage(base::as_bytes(ogg));
}

/// A Vorbis file of several pages that libsndfile wrote.
std::string vorbis() {
  const TemporaryFolder folder;
  return content(make_audio(folder, "sf.write('a.ogg', noise(100000), 16000)\n").at(0).file);
}

std::vector<std::size_t> page_begins(const std::string& ogg) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; (at = ogg.find("OggS", at)) != std::string::npos; at += 4) begins.push_back(at);
  return begins;
}

TEST(OggPages, WhatLibsndfileWritesIsGood) {
  const TemporaryFolder folder;
  const auto made = make_audio(folder, R"(
for subtype in ['VORBIS', 'OPUS']:
    for rate in [8000, 16000, 48000]:
        for channels in [1, 2]:
            sf.write(f'{subtype}_{rate}_{channels}.ogg', noise(3 * rate, channels), rate, format='OGG', subtype=subtype)
)");
  ASSERT_EQ(made.size(), 12U);
  for (const MadeAudio& audio : made) EXPECT_EQ(damage(content(audio.file)), "") << audio.file;
}

TEST(OggPages, EveryFlippedBitIsFound) {
  const std::string good = vorbis();
  for (std::size_t at = 4; at < good.size(); at += 61) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1 << at % 8);
    EXPECT_NE(damage(bad), "") << at;
  }
  for (const std::size_t at : page_begins(good)) {
    std::string bad = good;
    bad[at + 1] ^= 1;
    EXPECT_EQ(damage(bad).find("no Ogg page begins at byte " + std::to_string(at)) == 0, at > 0) << at;
  }
}

TEST(OggPages, SaysWhereTheDamageIs) {
  const std::string good = vorbis();
  const auto begins = page_begins(good);
  ASSERT_GT(begins.size(), 5U);
  std::string flipped = good;
  flipped[begins[3] + 100] ^= 4;
  EXPECT_EQ(damage(flipped), "the Ogg page at byte " + std::to_string(begins[3]) + " has a wrong checksum");
  std::string gap = good;
  gap.erase(begins[3], begins[4] - begins[3]);
  EXPECT_EQ(damage(gap),
            "page 3 of the Ogg stream is missing: page 4 comes at byte " + std::to_string(begins[3]));
  std::string between = good;
  between.insert(begins[4], "xyz");
  EXPECT_EQ(damage(between), "no Ogg page begins at byte " + std::to_string(begins[4]));
  EXPECT_EQ(damage(good.substr(0, good.size() - 1)),
            "the Ogg page at byte " + std::to_string(begins.back()) + " is cut off");
  EXPECT_EQ(damage(""), "it has no Ogg page");
}

ProbeResult probed_ogg(const std::string& ogg) {
  return probe_ogg(ByteView(base::as_bytes(ogg)));
}

TEST(OggPages, AreCheckedBeforeALengthIsBelieved) {
  const std::string good = vorbis();
  const auto begins = page_begins(good);
  ASSERT_GT(begins.size(), 5U);
  EXPECT_EQ(probed_ogg(good).verdict, ProbeVerdict::good);
  std::string flipped = good;
  flipped[begins[3] + 100] ^= 4;
  std::string gap = good;
  gap.erase(begins[3], begins[5] - begins[3]);
  std::string zeros = good;
  zeros.replace(begins[3] + 200, 512, 512, '\0');
  std::string zeros_over_a_header = good;
  zeros_over_a_header.replace(begins[3] - 20, 512, 512, '\0');
  std::string zeros_to_the_end = good;
  zeros_to_the_end.replace(begins[3], std::string::npos, good.size() - begins[3], '\0');
  for (const std::string& bad : {flipped, gap, zeros, zeros_over_a_header, zeros_to_the_end}) {
    EXPECT_EQ(probed_ogg(bad).verdict, ProbeVerdict::damaged);
    EXPECT_EQ(probed_ogg(bad).text, damage(bad));
  }
  EXPECT_EQ(probed_ogg(flipped).info.format, "ogg/vorbis");
}

TEST(OggPages, AStreamWithoutAMarkedEndIsOfUnknownSize) {
  const std::string good = vorbis();
  const std::string cut = good.substr(0, page_begins(good).back());
  EXPECT_EQ(damage(cut), "");
  EXPECT_EQ(probed_ogg(cut).verdict, ProbeVerdict::size_unknown);
}

/// The pages of an Ogg as those of the stream `serial`.
std::vector<std::string> pages_of_stream(const std::string& ogg, char serial) {
  std::vector<std::size_t> begins = page_begins(ogg);
  begins.push_back(ogg.size());
  std::vector<std::string> pages;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    std::string page = ogg.substr(begins[i], begins[i + 1] - begins[i]);
    page.replace(14, 4, std::string{serial, 0, 0, 0});
    page.replace(22, 4, 4, '\0');
    const std::uint32_t crc = base::update_crc32_portable(0, base::as_bytes(page));
    for (std::size_t byte = 0; byte < 4; ++byte) page[22 + byte] = static_cast<char>(crc >> (8 * byte));
    pages.push_back(std::move(page));
  }
  return pages;
}

TEST(OggPages, OfEachStreamAreCountedByThemselves) {
  const std::string good = vorbis();
  const auto one = pages_of_stream(good, 1);
  const auto two = pages_of_stream(good, 2);
  std::string first, second, turns;
  for (std::size_t i = 0; i < one.size(); ++i) {
    first += one[i];
    second += two[i];
    turns += one[i] + two[i];
  }
  EXPECT_EQ(damage(first + second), "");
  EXPECT_EQ(damage(turns), "");
  turns.erase(turns.find(two[3]), two[3].size());
  EXPECT_EQ(damage(turns).find("page 3 of the Ogg stream is missing"), 0U) << damage(turns);
}

TEST(OggPages, TagsAtTheEndsAreNoDamage) {
  const std::string good = vorbis();
  EXPECT_EQ(damage(good + "TAG" + std::string(125, ' ')), "");
  EXPECT_EQ(damage("ID3\x04" + std::string(30, '\0') + good), "");
}

}  // namespace

namespace {

AudioInfo info(const char* format, std::uint32_t rate) {
  return {.format = format, .sample_rate = rate, .channels = 1, .frames = 100'000};
}

TEST(DecodedLength, IsExactWhereNothingIsLost) {
  for (const char* format : {"wav/pcm16", "flac/pcm16", "wav/ulaw"}) {
    EXPECT_TRUE(is_whole(info(format, 16'000), 100'000));
    EXPECT_FALSE(is_whole(info(format, 16'000), 99'999));
    EXPECT_FALSE(is_whole(info(format, 16'000), 100'001));
  }
}

TEST(DecodedLength, LossyAudioMayDifferByItsPadding) {
  for (const char* format : {"mp3", "ogg/vorbis", "ogg/opus"}) {
    for (const std::uint32_t rate : {8'000U, 16'000U, 44'100U, 48'000U}) {
      EXPECT_TRUE(is_whole(info(format, rate), 100'000 - rate / 20));
      EXPECT_TRUE(is_whole(info(format, rate), 100'000 + rate / 20));
      EXPECT_FALSE(is_whole(info(format, rate), 100'000 - rate / 2));
      EXPECT_FALSE(is_whole(info(format, rate), 100'000 + rate / 2));
    }
  }
}

}  // namespace

}  // namespace shardmill::audio
