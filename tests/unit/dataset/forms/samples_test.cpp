#include "dataset/forms/samples.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

using testing::WrittenForm;

const ShardLayout kLayout{
    .samples = {{.header_offset = 0,
                 .members = {{.name = "a.txt", .extension = "txt", .offset = 512, .bytes = 3},
                             {.name = "a.wav", .extension = "wav", .offset = 1536, .bytes = 600}}},
                {.header_offset = 2560,
                 .members = {{.name = "b.wav", .extension = "wav", .offset = 3072, .bytes = 0}}}},
    .end_offset = 3072};

TEST(HeaderForms, DaliIsFourWordsAComponentAndALineASample) {
  WrittenForm form("dali");
  const WrittenIndexes written = form.write_layout(kLayout, "shards/x.tar");
  ASSERT_EQ(written.files.size(), 1u);
  EXPECT_EQ(written.files[0].path, "shards/x.idx");
  EXPECT_EQ(form.read("shards/x.idx"), "v1.2 2\ntxt 512 3 a.txt wav 1536 600 a.wav\nwav 3072 0 b.wav\n");
}

TEST(HeaderForms, EnergonIsEveryBeginningAndTheEndInLittleEndian) {
  WrittenForm form("energon");
  form.write_layout(kLayout, "x.y.tar");
  const std::string index = form.read("x.y.tar.idx");
  ASSERT_EQ(index.size(), 24U);
  EXPECT_EQ(index.substr(0, 8), std::string(8, '\0'));
  EXPECT_EQ(index.substr(8, 8), std::string("\x00\x0a\0\0\0\0\0\0", 8));
  EXPECT_EQ(index.substr(16), std::string("\x00\x0c\0\0\0\0\0\0", 8));
}

TEST(HeaderForms, EnergonListsAllShardsAndRefusesPatterns) {
  WrittenForm form("energon");
  form.write_layout(kLayout, "s/\xc3\xa4.tar");
  EXPECT_EQ(nlohmann::json::parse(form.read(".nv-meta/.info.json")),
            (nlohmann::json{{"shard_counts", {{"s/\xc3\xa4.tar", 2}}}}));
  EXPECT_EQ(form.read(".nv-meta/split.yaml"),
            "split_parts:\n  train:\n  - \"s/\xc3\xa4.tar\"\nexclude: []\n");
  EXPECT_THROW(form.write_layout(kLayout, "s/{1..2}.tar"), Error);
}

TEST(HeaderForms, WidsIsSortedByName) {
  WrittenForm form("wids");
  const auto path = [&](const char* name) { return form.made().path(name); };
  form.write_shards({{.path = path("shards/audio_000000000.tar"), .name = "b.tar", .manifest = {}},
                     {.path = path("shards/audio_000000001.tar"), .name = "a.tar", .manifest = {}}});
  const auto index = nlohmann::json::parse(form.read("shardindex.json"));
  EXPECT_EQ(index["__kind__"], "wids-shard-index-v1");
  EXPECT_EQ(index["wids_version"], 1);
  EXPECT_EQ(index["shardlist"][0]["url"], "a.tar");
  EXPECT_EQ(index["shardlist"][1]["url"], "b.tar");
  EXPECT_EQ(index["shardlist"][1]["nsamples"], 5);
  EXPECT_EQ(index["shardlist"][1]["filesize"], form.made().read("shards/audio_000000000.tar").size());
}

TEST(HeaderForms, WidsHasItsOwnReaderOfTars) {
  WrittenForm form("wids");
  EXPECT_NO_THROW(form.write_layout(kLayout));
  ShardLayout twice = kLayout;
  twice.samples.back().members.front().name = "a.wav";
  EXPECT_THROW(form.write_layout(twice), Error);
  ShardLayout elsewhere = kLayout;
  elsewhere.samples.front().members.back().is_name_in_header = false;
  EXPECT_THROW(form.write_layout(elsewhere), Error);
}

}  // namespace
}  // namespace shardmill::dataset
