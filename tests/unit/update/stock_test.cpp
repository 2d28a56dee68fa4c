#include "update/stock.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "archive/tar_parser.hpp"
#include "base/io/file.hpp"
#include "base/text/letters.hpp"
#include "support/command_output.hpp"
#include "update/update_case.hpp"

namespace shardmill::update {
namespace {

class StockTest : public UpdateCase {
 protected:
  Stock stock_of(std::uint32_t shard, const std::string& tar = {}) {
    Stock stock({"set"});
    stock.add({.tar = tar.empty() ? request_->records.path((*request_->records.shards)[shard].path) : tar,
               .manifest = manifest_path(request_->records, shard),
               .shard = shard},
              removal_.get());
    return stock;
  }
};

TEST_F(StockTest, ASampleIsReadAsItStandsInItsTar) {
  look_up();
  Stock stock = stock_of(1);
  ASSERT_EQ(stock.samples().size(), 5U);
  stock.locate(scratch_.file("plain"), made_.workers(), made_.reporter());
  const std::string tar = made_.read("shards/audio_000000001.tar");
  std::uint64_t end = 0;
  for (const StockSample& sample : stock.samples()) {
    EXPECT_EQ(sample.begin, end) << "samples follow each other";
    end = sample.begin + sample.bytes;
    const Stock::Read read = stock.read(sample);
    EXPECT_EQ(std::string(base::as_text(read.packed)), tar.substr(sample.begin, sample.bytes));
    EXPECT_EQ(read.record.text, "text of " + read.record.key);
    EXPECT_TRUE(sample.has_text);
    EXPECT_EQ(sample.key, base::xxh3_128(base::as_bytes(read.record.key)));
  }
  EXPECT_EQ(end + 1024, tar.size());
}

TEST_F(StockTest, CompressedTarsAreUnpackedFirst) {
  look_up();
  const std::string packed = scratch_.file("packed.tar.zst");
  testing::command_output("zstd -q -o " + packed + " " + made_.path("shards/audio_000000000.tar"));
  Stock plain = stock_of(0);
  Stock stock = stock_of(0, packed);
  for (Stock* one : {&plain, &stock}) one->locate(scratch_.file("plain"), made_.workers(), made_.reporter());
  for (std::size_t i = 0; i < stock.samples().size(); ++i)
    EXPECT_EQ(stock.read(stock.samples()[i]).packed, plain.read(plain.samples()[i]).packed);
}

TEST_F(StockTest, WhatIsRemovedIsMarkedAndTold) {
  const std::string key = *keys_in(made_.path("manifests/manifest_000000000.json")).begin();
  remove(key + "\n");
  look_up();
  EXPECT_EQ(facts_.with_removed, std::vector<std::uint32_t>{0});
  EXPECT_EQ(facts_.keys->size(), 2 * 9U) << "of each sample that stays its key and its name";
  EXPECT_FALSE(facts_.keys->contains(key));
  const Stock stock = stock_of(0);
  EXPECT_EQ(stock.samples_of_shard(0).size(), 4U);
  EXPECT_TRUE(stock.samples_of_shard(1).empty());
  EXPECT_EQ(stock.removed().samples, 1U);
  ASSERT_EQ(stock.removed().rejects.size(), 1U);
  EXPECT_EQ(stock.removed().rejects[0].key, key);
  EXPECT_EQ(stock.removed().rejects[0].reason, manifest::RejectReason::removed);
}

TEST_F(StockTest, AudioThatIsNotWhatTheManifestSaysIsAnError) {
  look_up();
  Stock stock = stock_of(0);
  stock.locate(scratch_.file("plain"), made_.workers(), made_.reporter());
  const StockSample& sample = stock.samples()[2];
  made_.flip("shards/audio_000000000.tar", sample.begin + sample.bytes - 600);
  EXPECT_THROW(stock.read(sample), Error);
  EXPECT_NO_THROW(stock.read(stock.samples()[1]));
}

TEST_F(StockTest, ATarWithOtherMembersThanItsManifestIsAnError) {
  look_up();
  Stock stock = stock_of(0, made_.path("shards/audio_000000001.tar"));
  EXPECT_THROW(stock.locate(scratch_.file("plain"), made_.workers(), made_.reporter()), Error);
}

TEST_F(StockTest, SoundsMustHaveBeenCompared) {
  look_up();
  EXPECT_THROW(sounds_of(request_->records, nullptr, scratch_.file("sounds"), made_.reporter()), Error);
}

TEST_F(StockTest, WhatUpdatesRemovedStaysOut) {
  look_up();
  EXPECT_EQ(withheld_from(request_->records.folder, nullptr, true, made_.reporter())->size(), 0U);
  made_.write("rejects.jsonl",
              "{\"dataset\":\"set\",\"source\":\"s.tar\",\"key\":\"gone\",\"reason\":\"removed\","
              "\"problem\":\"was removed\"}\n");
  const auto withheld = withheld_from(request_->records.folder, nullptr, true, made_.reporter());
  EXPECT_TRUE(withheld->contains(pipeline::withheld_anywhere("gone", std::nullopt)));
  EXPECT_TRUE(withheld->contains(pipeline::withheld_key("set", "gone")));
  EXPECT_FALSE(withheld->contains(pipeline::withheld_key("other", "gone")));
}

}  // namespace
}  // namespace shardmill::update
