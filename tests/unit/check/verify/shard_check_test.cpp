#include "check/verify/shard_check.hpp"

#include <gtest/gtest.h>

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
}  // namespace shardmill::check
