#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "audio/made_audio.hpp"
#include "audio/probe.hpp"
#include "audio/sndfile.hpp"
#include "audio/transform.hpp"
#include "base/io/file.hpp"
#include "support/bytes.hpp"

namespace shardmill::audio {
namespace {

constexpr std::size_t kFrames = 1600;

std::string number(std::uint64_t value, std::size_t bytes, bool big = false) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * (big ? bytes - 1 - i : i)) & 0xff);
  return text;
}

std::string with_number(std::string bytes, std::size_t at, std::uint64_t value, bool big = false) {
  return bytes.replace(at, 4, number(value, 4, big));
}

/// Values that are neither silent nor text.
std::string made_values(std::size_t frames = kFrames) {
  std::string bytes;
  for (std::size_t i = 0; i < frames; ++i) bytes += number(0x8181 + i * 37 % 4000, 2);
  return bytes;
}

const std::string kFormat = "fmt " + number(16, 4) + number(1, 2) + number(1, 2) + number(16000, 4) +
                            number(32000, 4) + number(2, 2) + number(16, 2);

std::string chunk(const std::string& id, const std::string& content) {
  return id + number(content.size(), 4) + content;
}

std::string riff(const std::string& chunks) {
  return "RIFF" + number(4 + chunks.size(), 4) + "WAVE" + chunks;
}

const std::string kWav = riff(kFormat + chunk("data", made_values()));
constexpr std::size_t kRiffSize = 4;
constexpr std::size_t kDataSize = 40;

std::string au(std::uint64_t size, const std::string& data, bool big = true) {
  return (big ? ".snd" : "dns.") + number(24, 4, big) + number(size, 4, big) + number(3, 4, big) +
         number(16000, 4, big) + number(1, 4, big) + data;
}

std::string aiff(std::uint64_t data_bytes, std::uint64_t frames, const std::string& data,
                 std::optional<std::uint64_t> form = std::nullopt) {
  const std::string chunks = "COMM" + number(18, 4, true) + number(1, 2, true) + number(frames, 4, true) +
                             number(16, 2, true) + std::string("\x40\x0c\xfa\0\0\0\0\0\0\0", 10) + "SSND" +
                             number(8 + data_bytes, 4, true) + std::string(8, '\0') + data;
  return "FORM" + number(form.value_or(4 + chunks.size()), 4, true) + "AIFF" + chunks;
}

ProbeResult probed_text(const std::string& audio) {
  return probe(base::as_bytes(audio));
}

/// The result of mended(), or the same bytes when there is nothing to mend.
std::string right(const std::string& audio) {
  const ProbeResult result = probed_text(audio);
  EXPECT_TRUE(result.usable()) << result.text;
  const auto bytes = mended(base::as_bytes(audio), result.info);
  return bytes ? testing::text_of(*bytes) : audio;
}

/// `lying` is taken with all of its frames, becomes `truth`, and that stays as it is.
void expect_mended(const std::string& lying, const std::string& truth, const std::string& what) {
  const ProbeResult result = probed_text(lying);
  EXPECT_EQ(result.verdict, ProbeVerdict::good) << what << result.text;
  EXPECT_EQ(result.info.frames, kFrames) << what;
  EXPECT_EQ(right(lying), truth) << what;
  EXPECT_EQ(right(truth), truth) << what;
  EXPECT_EQ(probed_text(truth).hidden_bytes, 0u) << what;
  EXPECT_EQ(sndfile_info(base::as_bytes(truth)).value().frames, kFrames) << what;
}

TEST(Mend, AudioThatARiffCoversAndItsDataChunkDoesNotIsAudio) {
  for (const std::uint64_t size : {1600U, 1601U, 2U, 3000U}) {
    const std::string lying = with_number(kWav, kDataSize, size);
    expect_mended(lying, kWav, std::to_string(size));
    EXPECT_EQ(probed_text(lying).hidden_bytes, 3200u - size);
    expect_mended(with_number(lying, kRiffSize, 0xffffffff), kWav, "streamed");
    expect_mended(with_number(lying, kRiffSize, 0x7ffff024), kWav, "streamed by sox");
  }
  const std::string list = chunk("LIST", "INFOabcd");
  const std::string tagged = riff(kFormat + chunk("data", made_values()) + list);
  expect_mended(with_number(tagged, kDataSize, 1600), tagged, "a chunk after the audio");
  // What is beyond the end of the RIFF is not audio.
  expect_mended(with_number(kWav, kDataSize, 1600) + "some junk", kWav + "some junk", "junk after the RIFF");
  EXPECT_EQ(probed_text(with_number(kWav, kDataSize, 1600) + "some junk").trailing_bytes, 9u);
}

TEST(Mend, BytesAfterAWavThatItsHeaderDoesNotCoverStayAndAreCounted) {
  const std::string half = with_number(with_number(kWav, kDataSize, 1600), kRiffSize, 36 + 1600);
  EXPECT_EQ(probed_text(half).info.frames, kFrames / 2);
  EXPECT_EQ(probed_text(half).trailing_bytes, 1600u);
  EXPECT_EQ(right(half), half);
  // A size that is not to be trusted does not make the bytes audio.
  const std::string unset = with_number(half, kRiffSize, 0);
  EXPECT_EQ(probed_text(unset).trailing_bytes, 1600u);
  EXPECT_EQ(right(unset), half);
  EXPECT_EQ(probed_text(kWav + "junk").trailing_bytes, 4u);
  EXPECT_EQ(probed_text(kWav + chunk("LIST", "INFO") + "junk").trailing_bytes, 4u);
  // Writers often forget to take the eight bytes before it off the size.
  EXPECT_EQ(probed_text(with_number(kWav, kRiffSize, kWav.size()) + "some more junk").info.frames, kFrames);
}

TEST(Mend, ChunksTagsAndPaddingAfterAWavAreNothingToSpeakOf) {
  const std::string id3v1 = "TAG" + std::string(125, 'a');
  for (const std::string& after :
       {chunk("LIST", "INFOabcd"), chunk("id3 ", "abcd"), chunk("bext", std::string(602, 'x')),
        chunk("abcd", "12") + chunk("LIST", "INFO"), id3v1, chunk("LIST", "INFO") + id3v1,
        std::string(512, '\0'), std::string("APETAGEX") + std::string(24, 'x'),
        std::string(3, '\0') + chunk("bext", std::string(602, 'x')), std::string("ID3\3\0\0\0\0\0\1x", 11),
        std::string("LIST\xff\0\0\0INFO", 12)}) {
    for (const std::string& file : {kWav + after, riff(kFormat + chunk("data", made_values()) + after),
                                    riff(kFormat + chunk("data", made_values() + 'x') + '\0' + after)}) {
      const ProbeResult result = probed_text(file);
      EXPECT_EQ(result.verdict, ProbeVerdict::good);
      EXPECT_EQ(result.info.frames, kFrames) << after;
      EXPECT_EQ(result.trailing_bytes, 0u) << after;
      EXPECT_EQ(right(file), file) << after;
    }
  }
}

TEST(Mend, TwoChunksOfAKindThatReadersTakeDifferentlyAreDamage) {
  const std::string data = chunk("data", made_values());
  for (const std::string& chunks :
       {kFormat + data + data, kFormat + data + chunk("LIST", "INFO") + data, kFormat + kFormat + data}) {
    const std::string file = riff(chunks);
    EXPECT_EQ(probed_text(file).verdict, ProbeVerdict::damaged);
    EXPECT_FALSE(sndfile_info(base::as_bytes(file)));
  }
  EXPECT_EQ(probed_text(riff(kFormat + data + kFormat)).verdict, ProbeVerdict::good);
}

TEST(Mend, AnRf64WithoutSizesBecomesARiff) {
  const std::string sizes = number(0, 8) + number(0, 8) + number(0, 8) + number(0, 4);
  const std::string unset = "RF64" + number(0xffffffff, 4) + "WAVE" + chunk("ds64", sizes) + kFormat +
                            "data" + number(0xffffffff, 4) + made_values();
  EXPECT_EQ(probed_text(unset).verdict, ProbeVerdict::size_unknown);
  EXPECT_EQ(probed_text(unset).hidden_bytes, 3200u);
  EXPECT_EQ(right(unset), riff(chunk("JUNK", sizes) + kFormat + chunk("data", made_values())));
}

TEST(Mend, AnAuWithoutASizeIsMeasuredByItsBytes) {
  for (const bool big : {true, false}) {
    for (const std::uint64_t size : {0U, 0xffffffffU}) {
      const std::string lying = au(size, made_values(), big);
      EXPECT_EQ(probed_text(lying).verdict, ProbeVerdict::size_unknown);
      EXPECT_EQ(probed_text(lying).info.frames, kFrames);
      EXPECT_EQ(probed_text(lying).hidden_bytes, size == 0 ? 3200u : 0u);
      EXPECT_EQ(right(lying), au(3200, made_values(), big));
    }
    EXPECT_EQ(probed_text(au(0, "", big)).verdict, ProbeVerdict::empty);
    // An AU has no second size that would say whether the rest is audio.
    const std::string half = au(1600, made_values(), big);
    EXPECT_EQ(probed_text(half).info.frames, kFrames / 2);
    EXPECT_EQ(probed_text(half).trailing_bytes, 1600u);
    EXPECT_EQ(right(half), half);
    EXPECT_EQ(probed_text(au(3200, made_values() + std::string(100, '\0'), big)).trailing_bytes, 0u);
  }
}

TEST(Mend, AnAiffIsJudgedAsAWav) {
  const std::string good = aiff(3200, kFrames, made_values());
  ASSERT_EQ(right(good), good);
  for (const std::uint64_t frames : {0U, 800U, 3000U})
    expect_mended(aiff(3200, frames, made_values()), good, std::to_string(frames) + " frames");
  for (const std::uint64_t frames : {800U, 1600U})
    expect_mended(aiff(1600, frames, made_values()), good,
                  std::to_string(frames) + " frames, half of the bytes");
  EXPECT_EQ(probed_text(aiff(1600, 800, made_values())).hidden_bytes, 1600u);
  const std::string half = aiff(1600, 800, made_values(), 4 + 26 + 16 + 1600);
  EXPECT_EQ(probed_text(half).info.frames, kFrames / 2);
  EXPECT_EQ(probed_text(half).trailing_bytes, 1600u);
  EXPECT_EQ(right(half), half);
  const std::string name = "NAME" + number(4, 4, true) + "abcd";
  const std::string named = aiff(3200, kFrames, made_values() + name);
  EXPECT_EQ(probed_text(named).trailing_bytes, 0u);
  EXPECT_EQ(right(named), named);
  EXPECT_EQ(probed_text(good + "junk").trailing_bytes, 4u);
}

TEST(Mend, BytesAfterAnOggAreCutOffBecauseTheyHideItsLength) {
  const testing::TemporaryFolder folder;
  for (const MadeAudio& made : make_audio(folder, R"(
sf.write('v.ogg', noise(8000), 16000, format='OGG', subtype='VORBIS')
sf.write('o.ogg', noise(8000), 16000, format='OGG', subtype='OPUS')
)")) {
    const std::string ogg = content(made.file);
    EXPECT_EQ(right(ogg), ogg);
    for (const std::string& after : {std::string("junk"), std::string(128, '\0'), std::string(3000, 'x')}) {
      EXPECT_EQ(probed_text(ogg + after).verdict, ProbeVerdict::good);
      EXPECT_EQ(probed_text(ogg + after).trailing_bytes, after.size());
      EXPECT_EQ(right(ogg + after), ogg);
    }
    EXPECT_EQ(probed_text(ogg + "junk" + ogg).verdict, ProbeVerdict::damaged);
  }
}

TEST(Mend, ConversionTakesAllAudioOfAHeaderThatLies) {
  const std::string sizes = number(0, 8) + number(0, 8) + number(0, 8) + number(0, 4);
  const std::string rf64 = "RF64" + number(0xffffffff, 4) + "WAVE" + chunk("ds64", sizes) + kFormat + "data" +
                           number(0xffffffff, 4) + made_values();
  for (const std::string& lying : {with_number(kWav, kDataSize, 1600), with_number(kWav, kDataSize, 0), rf64,
                                   au(0, made_values()), aiff(1600, 800, made_values())}) {
    for (const auto container : {WantedForm::Container::wav, WantedForm::Container::flac}) {
      const auto done = transform(base::as_bytes(lying), probed_text(lying).info, {.container = container});
      ASSERT_TRUE(done);
      EXPECT_EQ(done->problem, "");
      EXPECT_EQ(done->info.frames, kFrames);
    }
    const auto heard =
        transform(base::as_bytes(lying), probed_text(lying).info, {.hearing = {.sound = true}});
    EXPECT_EQ(heard->problem, "");
  }
}

// Whatever a header says: what was mended is taken as it is, with the same audio.
TEST(Mend, WhatWasMendedIsRight) {
  std::mt19937 random(5);
  const std::string sizes = number(3300, 8) + number(3200, 8) + number(0, 8) + number(0, 4);
  const std::string rf64 = "RF64" + number(0xffffffff, 4) + "WAVE" + chunk("ds64", sizes) + kFormat + "data" +
                           number(0xffffffff, 4) + made_values();
  const std::vector<std::string> originals{kWav,
                                           kWav + chunk("LIST", "INFO"),
                                           rf64,
                                           au(3200, made_values()),
                                           aiff(3200, kFrames, made_values()),
                                           kWav + std::string(200, 'x')};
  std::size_t mended_files = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string file = originals[static_cast<std::size_t>(round) % originals.size()];
    for (int changes = 0; changes < 2; ++changes) {
      const std::size_t at = 4 + random() % 90;
      const std::string wrong = random() % 2 == 0 ? number(random() % 4000, 4, random() % 2 == 0)
                                                  : std::string(4, random() % 2 == 0 ? '\0' : '\xff');
      file.replace(at, 4, wrong);
    }
    const ProbeResult result = probed_text(file);
    if (!result.usable()) continue;
    const auto bytes = mended(base::as_bytes(file), result.info);
    if (!bytes) continue;
    ++mended_files;
    const std::string truth = testing::text_of(*bytes);
    const ProbeResult again = probed_text(truth);
    ASSERT_TRUE(again.usable()) << round << again.text;
    EXPECT_EQ(again.info.frames, result.info.frames) << round;
    EXPECT_EQ(again.hidden_bytes, 0u) << round;
    EXPECT_EQ(again.trailing_bytes, result.trailing_bytes) << round;
    EXPECT_EQ(right(truth), truth) << round;
  }
  EXPECT_GT(mended_files, 100u);
}

}  // namespace
}  // namespace shardmill::audio
