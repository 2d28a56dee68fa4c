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
namespace {

using namespace std::chrono_literals;

ShardTally tally_of(std::size_t datasets) {
  ShardTally tally;
  tally.datasets.resize(datasets);
  return tally;
}

TEST(ShardTallyTest, CountsByDatasetAndInAll) {
  ShardTally tally = tally_of(2);
  tally.add(0, 2s, true);
  tally.add(1, 500ms, false);
  tally.add(1, 3s, true);
  EXPECT_EQ(tally.samples(), 3U);
  EXPECT_EQ(tally.duration(), 5500ms);
  EXPECT_EQ(tally.datasets[0].samples, 1U);
  EXPECT_EQ(tally.datasets[1].samples, 2U);
  EXPECT_EQ(tally.datasets[1].duration, 3500ms);
  EXPECT_EQ(tally.with_text, 2U);
  EXPECT_EQ(tally.shortest, 500ms);
  EXPECT_EQ(tally.longest, 3s);
}

TEST(ShardTallyTest, SecondsAreThoseOfTheRecords) {
  EXPECT_EQ(seconds(0ns), 0);
  EXPECT_EQ(seconds(1ns), 1e-9);
  EXPECT_EQ(seconds(90min), 5400);
}

TEST(BalanceOfTallies, IsThatOfTheFullestAndTheEmptiest) {
  std::vector<ShardTally> tallies(3, tally_of(2));
  tallies[0].add(0, 4s, false);
  tallies[1].add(0, 1s, false);
  tallies[1].add(1, 1s, false);
  tallies[2].add(1, 6s, false);
  const auto balance = balance_of(tallies);
  EXPECT_EQ(balance.min_samples, 1U);
  EXPECT_EQ(balance.max_samples, 2U);
  EXPECT_EQ(balance.min_seconds, 2);
  EXPECT_EQ(balance.mean_seconds, 4);
  EXPECT_EQ(balance.max_seconds, 6);
}

TEST(BalanceOfTallies, AShardWithoutSamplesCounts) {
  std::vector<ShardTally> tallies(2, tally_of(1));
  tallies[0].add(0, 4s, false);
  EXPECT_EQ(balance_of(tallies).min_samples, 0U);
  EXPECT_EQ(balance_of(tallies).min_seconds, 0);
  EXPECT_EQ(balance_of(tallies).mean_seconds, 2);
}

}  // namespace
}  // namespace shardmill::shard
