#include "shard/sample_packer.hpp"

#include <gtest/gtest.h>

#include "archive/recording_sink.hpp"

namespace shardmill::shard {
namespace {

Bytes bytes(std::string_view text) {
  const auto view = base::as_bytes(text);
  return {view.begin(), view.end()};
}

std::string listing(const PackedSample& packed) {
  archive::RecordingSink sink;
  std::string tar = archive::text(packed.bytes) + std::string(archive::kTarEndBytes, '\0');
  archive::parse(tar, sink);
  EXPECT_TRUE(sink.findings.empty());
  std::string out;
  for (const archive::TarMember& member : sink.members)
    out += member.name + "=" + archive::text(member.bytes) + " ";
  return out;
}

TEST(SamplePacker, WritesTheTranscriptThenTheAudioThenTheRest) {
  const Bytes text = bytes("hello");
  const Bytes audio = bytes(std::string(700, 'w'));
  const std::vector<Member> extras{{"x.spk", "spk", 0, bytes("s")}, {"x.json", "json", 0, bytes("{}")}};
  const PackedSample packed = pack({"key", text, "WAV", audio, extras});
  EXPECT_EQ(listing(packed), "key.txt=hello key.wav=" + std::string(700, 'w') + " key.json={} key.spk=s ");
  EXPECT_EQ(packed.audio_name, "key.wav");
  EXPECT_EQ(packed.audio_offset, 1536U);
  EXPECT_EQ(packed.bytes.size() % archive::kTarBlockBytes, 0U);
  EXPECT_TRUE(std::equal(audio.begin(), audio.end(), packed.bytes.begin() + 1536));
}

TEST(SamplePacker, TranscriptsMayStayOutOfTheShard) {
  const Bytes audio = bytes("w");
  const PackedSample packed = pack({"key", std::nullopt, "flac", audio, {}});
  EXPECT_EQ(listing(packed), "key.flac=w ");
  EXPECT_EQ(packed.audio_offset, 512U);
}

TEST(SamplePacker, NamesInOneSampleAreNeverTheSame) {
  const Bytes text = bytes("t");
  const Bytes audio = bytes("w");
  const std::vector<Member> extras{
      {"", "a_b", 0, bytes("1")}, {"", "a.b", 0, bytes("2")}, {"", "wav", 0, bytes("3")}};
  EXPECT_EQ(listing(pack({"key", text, "wav", audio, extras})),
            "key.txt=t key.wav=w key.a_b=2 key.a_b_=1 key.wav_=3 ");
}

TEST(SamplePacker, LongNamesStillFit) {
  const Bytes audio = bytes("w");
  const std::vector<Member> extras{{"", std::string(120, 'e'), 0, bytes("1")}};
  const PackedSample packed = pack({std::string(80, 'k'), std::nullopt, "wav", audio, extras});
  EXPECT_EQ(listing(packed),
            std::string(80, 'k') + ".wav=w " + std::string(80, 'k') + "." + std::string(120, 'e') + "=1 ");
}

}  // namespace
}  // namespace shardmill::shard
