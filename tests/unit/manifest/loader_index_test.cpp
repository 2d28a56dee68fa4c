#include "manifest/loader_index.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "manifest/index_kind.hpp"
#include "manifest/recipe_list.hpp"

namespace shardmill::manifest {
namespace {

const ShardLayout kLayout{
    .samples = {{.header_offset = 0,
                 .members = {{.name = "a.txt", .extension = "txt", .offset = 512, .bytes = 3},
                             {.name = "a.wav", .extension = "wav", .offset = 1536, .bytes = 600}}},
                {.header_offset = 2560,
                 .members = {{.name = "b.wav", .extension = "wav", .offset = 3072, .bytes = 0}}}},
    .end_offset = 3072};

TEST(LoaderIndexTest, DaliIsFourWordsAComponentAndALineASample) {
  EXPECT_EQ(dali_index(kLayout), "v1.2 2\ntxt 512 3 a.txt wav 1536 600 a.wav\nwav 3072 0 b.wav\n");
  EXPECT_EQ(dali_index_name("shards/x.tar"), "shards/x.idx");
}

TEST(LoaderIndexTest, EnergonIsEveryBeginningAndTheEndInLittleEndian) {
  const std::string index = energon_index(kLayout);
  ASSERT_EQ(index.size(), 24U);
  EXPECT_EQ(index.substr(0, 8), std::string(8, '\0'));
  EXPECT_EQ(index.substr(8, 8), std::string("\x00\x0a\0\0\0\0\0\0", 8));
  EXPECT_EQ(index.substr(16), std::string("\x00\x0c\0\0\0\0\0\0", 8));
  EXPECT_EQ(energon_index_name("x.y.tar"), "x.y.tar.idx");
  // Lhotse's ends with the size of the tar instead.
  EXPECT_EQ(lhotse_tar_index(kLayout, 10'240),
            index.substr(0, index.size() - 8) + lhotse_index(std::vector<std::uint64_t>{10'240}));
  EXPECT_EQ(lhotse_tar_index(index, 10'240), lhotse_tar_index(kLayout, 10'240));
  EXPECT_EQ(lhotse_rooted_name("/data/x/a.tar"), "lhotse/data/x/a.tar.idx");
  EXPECT_EQ(lhotse_rooted_name("s3://bucket//x/a.tar"), "lhotse/bucket/x/a.tar.idx");
  EXPECT_THROW(lhotse_rooted_name("../x/a.tar"), Error);
  EXPECT_EQ(lhotse_index_name("x.y.tar"), "x.y.tar.idx");
  EXPECT_EQ(lhotse_index(std::vector<std::uint64_t>{0, 258}),
            std::string("\0\0\0\0\0\0\0\0\2\1\0\0\0\0\0\0", 16));
}

TEST(LoaderIndexTest, EnergonListsAllShardsAndRefusesPatterns) {
  const std::vector<IndexedShard> shards{{.name = "s/1.tar", .samples = 2},
                                         {.name = "s/\xc3\xa4.tar", .samples = 0}};
  const auto info = nlohmann::json::parse(energon_info(shards));
  EXPECT_EQ(info, (nlohmann::json{{"shard_counts", {{"s/1.tar", 2}, {"s/\xc3\xa4.tar", 0}}}}));
  EXPECT_EQ(energon_split(shards),
            "split_parts:\n  train:\n  - \"s/1.tar\"\n  - \"s/\xc3\xa4.tar\"\nexclude: []\n");
  EXPECT_THROW(energon_split({{.name = "s/{1..2}.tar"}}), Error);
}

TEST(LoaderIndexTest, WidsIsSortedByName) {
  const auto index = nlohmann::json::parse(wids_index({{"b.tar", 3, 10}, {"a.tar", 4, 20}}));
  EXPECT_EQ(index,
            nlohmann::json::parse(R"({"__kind__": "wids-shard-index-v1", "wids_version": 1, "shardlist": [
      {"url": "a.tar", "nsamples": 4, "filesize": 20}, {"url": "b.tar", "nsamples": 3, "filesize": 10}]})"));
}

TEST(LoaderIndexTest, WidsHasItsOwnReaderOfTars) {
  EXPECT_NO_THROW(check_for_wids(kLayout, "x.tar"));
  ShardLayout twice = kLayout;
  twice.samples.back().members.front().name = "a.wav";
  EXPECT_THROW(check_for_wids(twice, "x.tar"), Error);
  ShardLayout elsewhere = kLayout;
  elsewhere.samples.front().members.back().is_name_in_header = false;
  EXPECT_THROW(check_for_wids(elsewhere, "x.tar"), Error);
}

TEST(RecipeListTest, BracesSurviveSpeechBrainsFormat) {
  SampleRecord record;
  record.key = "k";
  record.text = "a {b}";
  const auto entry = nlohmann::json::parse("{" + speechbrain_entry(record, "shards/s.tar", "S{1}") + "}");
  EXPECT_EQ(entry["k"]["wrd"], "a {{b}}");
  EXPECT_EQ(entry["k"]["spk_id"], "S{{1}}");
  EXPECT_EQ(entry["k"]["wav"], "{data_root}/shards/s.tar");
}

TEST(RecipeListTest, CsvKeepsCommasQuotesAndBlanks) {
  SampleRecord record;
  record.key = "k,1";
  record.duration_seconds = 1.25;
  record.tar_offset = 512;
  record.audio_bytes = 44;
  record.text = " he said \"no\", {twice}";
  EXPECT_EQ(speechbrain_row(record, "shards/s.tar", ""),
            "\"k,1\",1.25,$data_root/shards/s.tar,512,44,\"\",\" he said \"\"no\"\", {twice}\"\n");
}

TEST(IndexKindTest, NamesComeBackInOneOrderAndOnce) {
  EXPECT_EQ(names({}), "none");
  EXPECT_EQ(index_kinds_by_names("none"), std::vector<IndexKind>{});
  EXPECT_EQ(index_kinds_by_names("energon,wids,energon"), (std::vector{IndexKind::wids, IndexKind::energon}));
  EXPECT_EQ(names({IndexKind::wids, IndexKind::energon}), "wids,energon");
  for (const char* const wrong : {"", ",", "wids,", "wid", "none,wids"}) {
    EXPECT_EQ(index_kinds_by_names(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace shardmill::manifest
