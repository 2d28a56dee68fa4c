#include "pipeline/source_parser.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/hash/hash.hpp"
#include "source/corpus_builder.hpp"
#include "support/made_wav.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

using Items = std::vector<std::string>;

const std::string kEndOfTar(1024, '\0');

/// Gives its plain bytes in short spans and then, if it is damaged, throws.
class ShortSpans final : public codec::Piece {
 public:
  ShortSpans(std::string plain, bool is_damaged, std::uint64_t unchecked)
      : plain_(std::move(plain)), is_damaged_(is_damaged), unchecked_(unchecked) {}

  void prepare() noexcept override {}
  std::span<const std::byte> read() override {
    const auto rest = base::as_bytes(plain_).subspan(used_);
    if (rest.empty() && is_damaged_) throw Error("the checksum is wrong", at("shard.tar.bz2"));
    const auto some = rest.first(std::min<std::size_t>(rest.size(), 700));
    used_ += some.size();
    return some;
  }
  std::uint64_t compressed_bytes() const override { return 123; }
  std::size_t memory_bytes() const override { return 0; }
  std::uint64_t unchecked_bytes() const override { return unchecked_; }

 private:
  std::string plain_;
  bool is_damaged_;
  std::uint64_t unchecked_;
  std::size_t used_ = 0;
};

Unit unit_of(std::string plain, bool is_last = true) {
  Unit unit;
  unit.piece = std::make_shared<ShortSpans>(std::move(plain), false, 0);
  unit.last = is_last;
  return unit;
}

Unit damaged_unit(std::string plain, std::uint64_t unchecked = 0, bool is_chained = false) {
  Unit unit;
  unit.piece = std::make_shared<ShortSpans>(std::move(plain), true, unchecked);
  unit.is_chained = is_chained;
  return unit;
}

std::string made_sample(const std::string& key) {
  return archive::entry('0', key + ".txt", "words") +
         archive::entry('0', key + ".wav", std::string(3000, 'a'));
}

/// An item in one line.
std::string line_of(SourceItem& item) {
  if (auto* found = std::get_if<shard::GroupedSample>(&item)) {
    std::string line = "sample " + found->sample.key;
    for (const Member& member : found->sample.members) line += " ." + member.extension;
    return line + (found->damage.empty() ? "" : ": " + found->damage);
  }
  if (const auto* lost = std::get_if<manifest::Reject>(&item))
    return "lost " + *lost->key + ": " + lost->problem;
  if (const auto* damage = std::get_if<Damage>(&item)) return "damage: " + damage->error.problem();
  return std::string(name(std::get<ShardFinding>(item).problem));
}

Items lines_of(std::vector<SourceItem> items) {
  Items lines;
  for (SourceItem& item : items) lines.push_back(line_of(item));
  return lines;
}

class SourceParsers : public ::testing::Test {
 protected:
  /// The items of a file that is one unit.
  Items parse(const source::SourceFile& file, const std::string& tar) {
    return lines_of(SourceParser(file, shard::KeyRule::wenet).parse(unit_of(tar)));
  }

  testing::TemporaryFolder folder_;
  source::SourceFile file_{.path = "shard.tar"};
};

TEST_F(SourceParsers, GiveSamplesAndFindings) {
  const std::string tar = made_sample("a") + archive::entry('2', "link", "") + made_sample("b") + kEndOfTar;
  // A sample is known to be whole when the next one begins.
  EXPECT_EQ(parse(file_, tar), (Items{"link", "sample a .txt .wav", "sample b .txt .wav"}));
}

TEST_F(SourceParsers, StopAtTheLimitAndGoOnFromThere) {
  const std::string tar = made_sample("a") + made_sample("b") + made_sample("c") + kEndOfTar;
  const Unit unit = unit_of(tar);
  SourceParser parser(file_, shard::KeyRule::wenet);
  std::vector<SourceItem> items;
  int steps = 0;
  for (std::uint64_t before = 0; !parser.parse_some(unit, 2000, items); before = parser.offset(), ++steps) {
    EXPECT_LE(parser.offset(), before + 2000 + 700);
    EXPECT_EQ(parser.units(), 0U);
  }
  EXPECT_GT(steps, 3);
  EXPECT_EQ(parser.units(), 1U);
  EXPECT_EQ(parser.offset(), tar.size());
  EXPECT_EQ(lines_of(std::move(items)),
            (Items{"sample a .txt .wav", "sample b .txt .wav", "sample c .txt .wav"}));
}

TEST_F(SourceParsers, ASampleMaySpanUnits) {
  const std::string tar = made_sample("a") + kEndOfTar;
  SourceParser parser(file_, shard::KeyRule::wenet);
  EXPECT_TRUE(parser.parse(unit_of(tar.substr(0, 1700), false)).empty());
  EXPECT_EQ(lines_of(parser.parse(unit_of(tar.substr(1700)))), Items{"sample a .txt .wav"});
}

TEST_F(SourceParsers, GoOnAfterDamageWithTheNextHeader) {
  const std::string tar = made_sample("a") + made_sample("b") + made_sample("c") + kEndOfTar;
  SourceParser parser(file_, shard::KeyRule::wenet);
  const std::size_t in_b = made_sample("a").size() + 1500;
  std::vector<SourceItem> items = parser.parse(damaged_unit(tar.substr(0, in_b), 400));
  const auto& damage = std::get<Damage>(items.at(1));
  EXPECT_EQ(damage.bytes, 123U);
  ASSERT_TRUE(damage.doubtful.has_value());
  EXPECT_EQ(damage.doubtful->begin, in_b - 400);
  EXPECT_EQ(damage.doubtful->end, in_b);
  EXPECT_FALSE(parser.has_lost_rest());
  EXPECT_EQ(lines_of(std::move(items)).at(0), "sample a .txt .wav");
  const Items rest = lines_of(parser.parse(unit_of(tar.substr(2 * made_sample("a").size()))));
  EXPECT_EQ(rest.back(), "sample c .txt .wav");
}

TEST_F(SourceParsers, LoseTheRestWhereThePiecesNeedEachOther) {
  SourceParser parser(file_, shard::KeyRule::wenet);
  std::vector<SourceItem> items = parser.parse(damaged_unit(made_sample("a"), 0, true));
  EXPECT_TRUE(parser.has_lost_rest());
  bool is_found = false;
  for (const SourceItem& item : items) {
    const auto* damage = std::get_if<Damage>(&item);
    if (damage == nullptr) continue;
    is_found = true;
    EXPECT_EQ(damage->bytes, 0U);  // unknown
    EXPECT_FALSE(damage->doubtful.has_value());
  }
  EXPECT_TRUE(is_found);
}

TEST_F(SourceParsers, GiveTheDamageOfAFileThatCouldNotBeOpened) {
  Unit unit;
  unit.damage = Error("is not there", at("shard.tar"));
  unit.last = true;
  EXPECT_EQ(lines_of(SourceParser(file_, shard::KeyRule::wenet).parse(unit)).front(), "damage: is not there");
}

TEST_F(SourceParsers, KnowWhichBytesNoChecksumHasConfirmed) {
  const std::string tar = made_sample("a") + kEndOfTar;
  SourceParser parser(file_, shard::KeyRule::wenet);
  Unit unit;
  unit.piece = std::make_shared<ShortSpans>(tar, false, 900);
  parser.parse(unit);
  EXPECT_EQ(parser.unchecked_from(), tar.size() - 900);
}

TEST_F(SourceParsers, CutTheSegmentsThatACorpusListsOutOfTheirMember) {
  const std::string tar = archive::entry('0', "a.wav", testing::made_wav(32000)) +
                          archive::entry('0', "broken.wav", "not audio") +
                          archive::entry('0', "other.wav", testing::made_wav(100)) + kEndOfTar;
  const std::string path = folder_.write("shard.tar", tar);
  source::CorpusBuilder corpus;
  const std::size_t shard = corpus.recording(source::SourceKind::shard, path, {}, true);
  corpus.utterance(shard, {.key = "a-sub1", .text = "two", .begin_seconds = 1, .end_seconds = 1.5});
  corpus.utterance(shard, {.key = "a", .text = "one", .begin_seconds = 0.25, .end_seconds = 1});
  corpus.utterance(shard, {.key = "broken", .text = "three", .begin_seconds = 1, .end_seconds = 2});
  const source::SourceFile file = corpus.take().audio.at(0);
  std::vector<SourceItem> items = SourceParser(file, shard::KeyRule::wenet).parse(unit_of(tar));
  for (const int i : {0, 1}) {
    const auto& cut = std::get<shard::GroupedSample>(items.at(static_cast<std::size_t>(i)));
    EXPECT_EQ(cut.begin_offset, 0U);
    EXPECT_EQ(cut.sample.members.back().bytes.size(), 44U + 2 * (i == 0 ? 12000 : 8000));
  }
  const Items lines = lines_of(std::move(items));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "sample a .txt .wav");
  EXPECT_EQ(lines[1], "sample a-sub1 .txt .wav");
  EXPECT_TRUE(lines[2].starts_with("lost broken: ")) << lines[2];
  EXPECT_EQ(lines[3], "lost other: the corpus does not list it");
}

TEST_F(SourceParsers, PassOnTheLengthThatACorpusGives) {
  const std::string tar = archive::entry('0', "a.wav", testing::made_wav(32000)) + kEndOfTar;
  source::CorpusBuilder corpus;
  const std::size_t shard =
      corpus.recording(source::SourceKind::shard, folder_.write("shard.tar", tar), {}, true);
  corpus.utterance(shard, {.key = "a", .seconds = 1.5, .keeps_to_seconds = true});
  const source::SourceFile file = corpus.take().audio.at(0);
  const std::vector<SourceItem> items = SourceParser(file, shard::KeyRule::wenet).parse(unit_of(tar));
  EXPECT_EQ(std::get<shard::GroupedSample>(items.at(0)).keeps_to_seconds, 1.5);
}

class ListedShards : public SourceParsers {
 protected:
  /// A shard of a finished dataset whose manifest lists these keys, with the transcript "listed".
  source::SourceFile listed(const std::vector<std::string>& keys) {
    std::string lines;
    for (const std::string& key : keys) {
      manifest::SampleRecord record;
      record.key = record.source_key = key;
      record.dataset = "d";
      record.text = "listed";
      record.audio = {.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 1478};
      record.audio_filepath = key + ".wav";
      append_line(lines, record);
    }
    source::DatasetShard shard;
    shard.manifest = folder_.write("manifest.json", lines);
    shard.manifest_sha256 = base::sha256_hex(base::as_bytes(lines));
    shard.record.shares = {{.dataset = "d"}};
    return {.path = "shard.tar", .listing = std::make_shared<source::DatasetShard>(shard)};
  }
};

TEST_F(ListedShards, GiveSamplesWithTheirLines) {
  const source::SourceFile file = listed({"a", "b"});
  const std::string tar = made_sample("a") + archive::entry('0', "b.wav", "audio") + kEndOfTar;
  std::vector<SourceItem> items = SourceParser(file, shard::KeyRule::wenet).parse(unit_of(tar));
  ASSERT_EQ(items.size(), 2U);
  for (SourceItem& item : items) {
    const auto& found = std::get<shard::GroupedSample>(item);
    ASSERT_NE(found.listed, nullptr);
    EXPECT_EQ(found.listed->key, found.sample.key);
  }
  // A shard without transcripts gets them from its manifest.
  EXPECT_EQ(lines_of(std::move(items)), (Items{"sample a .txt .wav", "sample b .txt .wav"}));
}

TEST_F(ListedShards, SayWhatOnlyOneOfThemHas) {
  const std::string tar = made_sample("b") + made_sample("new") + made_sample("a") + kEndOfTar;
  EXPECT_EQ(parse(listed({"a", "b", "gone"}), tar),
            (Items{"sample b .txt .wav", "sample new .txt .wav: its manifest has no line for it",
                   "sample a .txt .wav", "lost gone: the manifest lists it, but it is not in the shard"}));
}

TEST_F(ListedShards, TakeAChangedManifestForDamage) {
  const source::SourceFile file = listed({"a"});
  folder_.write("manifest.json", "{}\n");
  const Items lines = parse(file, made_sample("a") + kEndOfTar);
  EXPECT_NE(lines.front().find("was changed since the dataset was made"), std::string::npos) << lines.front();
  EXPECT_EQ(lines.back(), "sample a .txt .wav: its manifest has no line for it");
}

}  // namespace
}  // namespace shardmill::pipeline
