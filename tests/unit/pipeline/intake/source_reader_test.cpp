#include "pipeline/intake/source_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

class SourceReaderTest : public ::testing::Test {
 protected:
  source::SourceFile file(const std::string& name, const std::string& content) const {
    return {.path = folder_.write(name, content), .bytes = content.size()};
  }
  static std::vector<Unit> units_of(SourceReader& reader) {
    std::vector<Unit> units;
    do {
      units.push_back(reader.next());
    } while (!units.back().last);
    return units;
  }

  testing::TemporaryFolder folder_;
  const std::string tar_ = archive::make_tar({{"a.txt", "words"}, {"a.wav", std::string(300'000, 'x')}});
};

TEST_F(SourceReaderTest, TheUnitsOfAShardCountAllOfItsBytes) {
  for (const std::string command : {"cat", "bzip2 -1c", "gzip -c", "zstd -qc"}) {
    const std::string packed = codec::testing::through(command, tar_);
    const source::SourceFile source = file("shard", packed);
    std::uint64_t late = 0;
    std::uint64_t bytes = 0;
    const auto reader = open_source(source);
    for (const Unit& unit : units_of(*reader)) bytes += counted_bytes(unit, late);
    EXPECT_EQ(bytes + late, packed.size()) << command;
  }
}

TEST_F(SourceReaderTest, OnlyPiecesThatCanBeReadAloneAreNotChained) {
  const auto is_chained = [&](const std::string& command) {
    const source::SourceFile source = file("shard", codec::testing::through(command, tar_));
    return open_source(source)->next().is_chained;
  };
  EXPECT_FALSE(is_chained("cat"));
  EXPECT_FALSE(is_chained("bzip2 -c"));
  EXPECT_TRUE(is_chained("xz -c"));
  EXPECT_TRUE(is_chained("zstd -qc"));
}

TEST_F(SourceReaderTest, TheBytesOfAChainedPieceCountWithTheNextOne) {
  Unit unit;
  unit.compressed_bytes = 7;
  std::uint64_t late = 5;
  EXPECT_EQ(counted_bytes(unit, late), 7U);
  EXPECT_EQ(late, 5U);
  unit.is_chained = true;
  EXPECT_EQ(counted_bytes(unit, late), 5U);
  EXPECT_EQ(late, 7U);
}

TEST_F(SourceReaderTest, AShardThatIsGoneIsAnError) {
  EXPECT_THROW(open_source({.path = folder_.file("gone.tar")}), Error);
}

/// The manifest of a shard of a finished dataset.
class ShardListingTest : public ::testing::Test {
 protected:
  ShardListingTest() {
    shard_.manifest = made_.path("manifests/manifest_000000000.json");
    shard_.record.shares = {{.dataset = "set", .samples = 5, .seconds = 0}};
    sum();
    manifest::SampleRecord record;
    for (manifest::RecordReader reader(shard_.manifest); reader.next(record);) {
      keys_.push_back(record.key);
      offsets_.push_back(record.tar_offset);
    }
  }
  void sum() {
    const std::string text = made_.read("manifests/manifest_000000000.json");
    shard_.manifest_sha256 = base::sha256_hex(base::as_bytes(text));
  }

  testing::MadeDataset made_;
  source::DatasetShard shard_;
  std::vector<std::string> keys_;
  std::vector<std::uint64_t> offsets_;
};

TEST_F(ShardListingTest, IsReadInStepWithTheSamples) {
  ShardListing listing(shard_, 0);
  for (const std::string& key : keys_) {
    const auto record = listing.take(key);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->key, key);
    EXPECT_EQ(record->text, "text of " + key);
    EXPECT_TRUE(listing.is_in_step());
  }
  EXPECT_TRUE(listing.take_rest().empty());
  EXPECT_TRUE(listing.take_problems().empty());
}

TEST_F(ShardListingTest, KeepsLinesForSamplesInAnotherOrder) {
  ShardListing listing(shard_, 0);
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) ASSERT_TRUE(listing.take(*key)) << *key;
  EXPECT_FALSE(listing.is_in_step());
}

TEST_F(ShardListingTest, NamesTheLinesThatNoSampleTook) {
  ShardListing listing(shard_, 0);
  EXPECT_TRUE(listing.take(keys_[1]));
  EXPECT_FALSE(listing.take("another"));
  EXPECT_FALSE(listing.take(keys_[1])) << "each line is of one sample";
  EXPECT_EQ(listing.take_rest(), (std::vector<std::string>{keys_[0], keys_[2], keys_[3], keys_[4]}));
}

TEST_F(ShardListingTest, BeginsWhereTheShardIsReadFrom) {
  ShardListing listing(shard_, offsets_[3]);
  EXPECT_EQ(listing.take_rest(), (std::vector<std::string>{keys_[3], keys_[4]}));
}

TEST_F(ShardListingTest, AChangedManifestIsAProblemAndIsReadNevertheless) {
  shard_.manifest_sha256 = std::string(64, '0');
  ShardListing listing(shard_, 0);
  EXPECT_TRUE(listing.take(keys_[0]));
  ASSERT_EQ(listing.take_problems().size(), 1U);
  EXPECT_TRUE(listing.take_problems().empty()) << "it is told once";
}

TEST_F(ShardListingTest, ALineOfAnUnknownDatasetIsAProblem) {
  shard_.record.shares = {{.dataset = "other", .samples = 5, .seconds = 0}};
  ShardListing listing(shard_, 0);
  EXPECT_FALSE(listing.take(keys_[0]));
  EXPECT_EQ(listing.take_problems().size(), 1U);
}

TEST_F(ShardListingTest, SamplesGetTheNameThatTheUserGave) {
  shard_.dataset = "mine";
  EXPECT_EQ(ShardListing(shard_, 0).take(keys_[0])->dataset, "mine");
}

TEST_F(ShardListingTest, AMissingManifestIsAProblem) {
  shard_.manifest += ".gone";
  ShardListing listing(shard_, 0);
  EXPECT_FALSE(listing.take(keys_[0]));
  EXPECT_TRUE(listing.take_rest().empty());
  EXPECT_EQ(listing.take_problems().size(), 1U);
}

}  // namespace
}  // namespace shardmill::pipeline
