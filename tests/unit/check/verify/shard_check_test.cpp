#include "check/verify/shard_check.hpp"

#include <gtest/gtest.h>

#include "audio/flac.hpp"
#include "base/io/file.hpp"
#include "check/verify/dataset_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

using testing::MadeDataset;

class ShardCheckTest : public ::testing::Test {
 protected:
  /// Of the first shard: how many findings there are.
  std::size_t findings(bool decode = false, ShardContents* contents = nullptr) {
    FindingList list;
    auto records = dataset::read_records(made_.folder(), list);
    const DatasetFiles files = find_files(records, list);
    list.take();
    const ShardContents found =
        check_shard(files.shards.at(0), records, {.decode = decode}, made_.workers(), made_.reporter(), list);
    if (contents != nullptr) *contents = found;
    std::size_t count = 0;
    for (const Finding& finding : list.take())
      count += finding.severity == Finding::Severity::finding ? 1 : 0;
    return count;
  }

  MadeDataset made_;
  const std::string shard_ = "shards/audio_000000000.tar";
  const std::string manifest_ = "manifests/manifest_000000000.json";
};

TEST_F(ShardCheckTest, ASoundShardHasNoFindingAndItsContentsAreCounted) {
  ShardContents contents;
  EXPECT_EQ(findings(true, &contents), 0u);
  EXPECT_EQ(contents.tally().samples(), 5u);
  EXPECT_EQ(contents.with_text.at("set"), 5u);
  EXPECT_EQ(contents.keys.size(), 5u);
}

TEST_F(ShardCheckTest, WithoutItsTarTheContentsAreThoseOfTheManifest) {
  FindingList list;
  auto records = dataset::read_records(made_.folder(), list);
  const DatasetFiles files = find_files(records, list);
  made_.write(shard_, "no tar");
  const auto look = [&] {
    return check_shard(files.shards.at(0), records, {.reads_tar = false}, made_.workers(), made_.reporter(),
                       list);
  };
  const ShardContents contents = look();
  EXPECT_EQ(contents.tally().samples(), 5u);
  EXPECT_EQ(contents.with_text.at("set"), 5u);
  EXPECT_TRUE(contents.knows_texts);
  EXPECT_TRUE(list.take().empty());
  made_.flip(manifest_, 20);
  look();
  EXPECT_FALSE(list.take().empty());
}

TEST_F(ShardCheckTest, AFlippedBitAnywhereIsFound) {
  for (const std::string& file : {shard_, manifest_}) {
    const std::string content = made_.read(file);
    for (std::size_t at = 0; at < content.size(); at += 1 + content.size() / 60) {
      made_.flip(file, at);
      EXPECT_GT(findings(), 0u) << file << " at " << at;
      made_.write(file, content);
    }
  }
  EXPECT_EQ(findings(), 0u);
}

TEST_F(ShardCheckTest, EveryCutAndEveryByteMoreIsFound) {
  for (const std::string& file : {shard_, manifest_}) {
    const std::string content = made_.read(file);
    for (std::size_t cut = 0; cut < content.size(); cut += 1 + content.size() / 30) {
      made_.write(file, content.substr(0, cut));
      EXPECT_GT(findings(), 0u) << file << " cut at " << cut;
    }
    made_.write(file, content + '\0');
    EXPECT_GT(findings(), 0u) << file;
    made_.write(file, content);
  }
}

TEST_F(ShardCheckTest, ChecksumsAreThoseOfTheListOrElseOfTheRecord) {
  const auto count = [&](const std::string& listed, const std::string& fallback) {
    dataset::DatasetRecords records{.folder = made_.folder()};
    if (!listed.empty()) records.checksums = {{"a", listed}};
    FindingList list;
    check_checksum(records, "a", "right", fallback, list);
    return list.take().size();
  };
  EXPECT_EQ(count("right", "wrong"), 0u);
  EXPECT_EQ(count("wrong", "right"), 1u);
  EXPECT_EQ(count("", "right"), 0u);
  EXPECT_EQ(count("", "wrong"), 1u);
  EXPECT_EQ(count("", ""), 0u);
}

}  // namespace
namespace {

constexpr std::uint32_t kFrames = 8000;

class AudioCheckTest : public ::testing::Test {
 protected:
  static Bytes flac(bool silent = false) {
    const std::string wav = testing::made_wav(kFrames);
    audio::Pcm pcm{.encoding = audio::PcmEncoding::pcm16, .sample_rate = 16000, .channels = 1, .data = {}};
    const auto values = base::as_bytes(wav).subspan(44);
    pcm.data.assign(values.begin(), values.end());
    if (silent) std::fill(pcm.data.begin(), pcm.data.end(), std::byte{0});
    return audio::encode_flac(pcm);
  }

  std::vector<Finding> checked(Bytes audio, std::uint64_t frames = kFrames,
                               const std::string& format = "flac/pcm16") {
    FindingList list;
    AudioCheck check(workers_, list);
    check.add({.shard = "a.tar", .member = "k.flac", .tar_offset = 512}, std::move(audio),
              {.format = format, .sample_rate = 16000, .channels = 1, .frames = frames});
    check.flush();
    return list.take();
  }

  pipeline::Workers workers_{2, std::uint64_t{64} << 20};
};

TEST_F(AudioCheckTest, GoodAudioIsGood) {
  EXPECT_TRUE(checked(flac()).empty());
}

TEST_F(AudioCheckTest, AnotherNumberOfFramesIsAFindingAtItsPlace) {
  const auto found = checked(flac(), kFrames + 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where.member, "k.flac");
  EXPECT_EQ(found[0].tar_offset, 512u);
}

TEST_F(AudioCheckTest, AFlippedBitInAnyFrameIsFound) {
  const Bytes good = flac();
  std::size_t first_frame = 4;
  while (good[first_frame] != std::byte{0xff} || good[first_frame + 1] != std::byte{0xf8}) ++first_frame;
  for (std::size_t at = first_frame; at < good.size(); at += good.size() / 40) {
    Bytes bad = good;
    bad[at] ^= std::byte{1};
    EXPECT_FALSE(checked(bad).empty()) << at;
  }
}

TEST_F(AudioCheckTest, SilenceIsANote) {
  const auto found = checked(flac(true));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Finding::Severity::note);
}

TEST_F(AudioCheckTest, AudioThatReadersDoNotSeeIsAFindingAndOtherBytesAreANote) {
  const std::string made = testing::made_wav(kFrames);
  const auto checked_wav = [this](const std::string& text) {
    const auto bytes = base::as_bytes(text);
    return checked(Bytes(bytes.begin(), bytes.end()), kFrames, "wav/pcm16");
  };
  EXPECT_TRUE(checked_wav(made).empty());
  std::string lying = made;
  lying.replace(40, 4, std::string("\x40\x1f\0\0", 4));  // half of its audio
  const auto found = checked_wav(lying);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Finding::Severity::finding);
  EXPECT_EQ(found[0].what, "its header leaves out 8,000 bytes of audio, which most readers lose");
  const auto noted = checked_wav(made + "something else");
  ASSERT_EQ(noted.size(), 1u);
  EXPECT_EQ(noted[0].severity, Finding::Severity::note);
  EXPECT_EQ(noted[0].what, "has 14 bytes after the end that its header gives");
}

TEST_F(AudioCheckTest, OfManyEachIsCheckedOnce) {
  FindingList list;
  AudioCheck check(workers_, list);
  for (std::uint64_t i = 0; i < 100; ++i) {
    check.add({.shard = "a.tar", .member = std::to_string(i), .tar_offset = i}, flac(),
              {.format = "flac/pcm16", .sample_rate = 16000, .channels = 1, .frames = kFrames + i % 2});
  }
  check.flush();
  check.flush();
  EXPECT_EQ(list.take().size(), 50u);
}

}  // namespace
}  // namespace shardmill::check
