#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/forms/index_pack.hpp"
#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;
using testing::WrittenForm;

std::string places(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) append_place(text, number);
  return text;
}

TEST(LhotseForm, WhereEachLineBeginsAndWhereTheFileEnds) {
  WrittenForm form("lhotse");
  form.made().write("manifests/manifest_000000000.json", "{}\n{\"text\":1}\n");
  form.made().write("manifests/manifest_000000001.json", "{}\n{}");
  const WrittenIndexes written = form.write(2);
  EXPECT_EQ(written.files.size(), 5u);
  EXPECT_EQ(form.read("manifests/manifest_000000000.json.idx"), places({0, 3, 14}));
  EXPECT_EQ(form.read("manifests/manifest_000000001.json.idx"), places({0, 3, 5}));
  EXPECT_EQ(form.read("tarred_audio_manifest.json.idx"), places({0, 3, 14, 17, 19}));
}

TEST(LhotseForm, OnlyIndexesOfTarsForShardsWithoutManifests) {
  WrittenForm form("lhotse");
  const WrittenIndexes written = form.write_shards(
      {{.path = form.made().path("shards/audio_000000000.tar"), .name = "a.tar", .manifest = {}}});
  ASSERT_EQ(written.files.size(), 1u);
  EXPECT_EQ(written.files[0].path, "a.tar.idx");
}

TEST(LhotseForm, BesideEnergonsTheNamesRepeatTheAbsolutePath) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  const auto write = [&](const std::string& listed) {
    return write_form_files({form_named("energon"), form_named("lhotse")},
                            {{.path = made.path("shards/audio_000000000.tar"),
                              .name = "shards/audio_000000000.tar",
                              .manifest = made.path("manifests/manifest_000000000.json"),
                              .listed = listed}},
                            out.path().string(), made.workers(), made.reporter());
  };
  write("/data/x/shards/audio_000000000.tar");
  EXPECT_TRUE(base::exists(out.file("lhotse/data/x/manifests/manifest_000000000.json.idx")));
  EXPECT_TRUE(base::exists(out.file("lhotse/data/x/tarred_audio_manifest.json.idx")));
  // Energon's ends with the end of the last sample, Lhotse's with the size of the tar.
  const std::string energons = base::read_text(out.file("shards/audio_000000000.tar.idx"));
  const std::string tar = made.read("shards/audio_000000000.tar");
  EXPECT_EQ(base::read_text(out.file("lhotse/data/x/shards/audio_000000000.tar.idx")),
            energons.substr(0, energons.size() - 8) + places({tar.size()}));
  write("s3://bucket//x/shards/audio_000000000.tar");
  EXPECT_TRUE(base::exists(out.file("lhotse/bucket/x/shards/audio_000000000.tar.idx")));
  EXPECT_THROW(write("../x/shards/audio_000000000.tar"), Error);
}

}  // namespace
}  // namespace shardmill::dataset
