#include "dataset/index_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "dataset/owned_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using manifest::IndexKind;
using testing::MadeDataset;

const IndexKinds kAll{manifest::kAllIndexKinds.begin(), manifest::kAllIndexKinds.end()};

std::vector<ShardToIndex> shards_of(const MadeDataset& made) {
  std::vector<ShardToIndex> shards;
  for (const char* number : {"000000000", "000000001"}) {
    const std::string name = std::string("shards/audio_") + number + ".tar";
    shards.push_back({.path = made.path(name),
                      .name = name,
                      .manifest = made.path(std::string("manifests/manifest_") + number + ".json")});
  }
  return shards;
}

TEST(IndexFiles, JustTheFilesThatWereAnnouncedWithTheirChecksums) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  const WrittenIndexes written =
      write_index_files(kAll, shards_of(made), out.path().string(), made.workers(), made.reporter());
  const auto announced =
      index_file_names(kAll, {"shards/audio_000000000.tar", "shards/audio_000000001.tar"}, {"set"});
  std::set<std::string> names;
  for (const manifest::Checksum& file : written.files) {
    // Their names contain the place of the dataset.
    if (!is_rooted_index(file.path)) names.insert(file.path);
    EXPECT_TRUE(holds_just(out.file(file.path), file.sha256)) << file.path;
  }
  EXPECT_EQ(names, std::set<std::string>(announced.begin(), announced.end()));
  EXPECT_EQ(written.samples, MadeDataset::kSamples);
}

// DALI's index names the place of each member in the shard: the bytes there are those of the manifest's hash.
TEST(IndexFiles, EachIsKnownByItsName) {
  const std::vector<std::string> shards{"shards/audio_000000000.tar", "shards/audio_000000001.tar"};
  for (const IndexKind kind : kAll) {
    for (const std::string& file : index_file_names({kind}, shards, {"set"})) {
      // Lhotse's index of a tar is Energon's.
      const bool is_shared = kind == IndexKind::lhotse && file.ends_with(".tar.idx");
      EXPECT_EQ(manifest::index_kind_of(file), is_shared ? IndexKind::energon : kind) << file;
    }
  }
  for (const char* other : {"shards/audio_000000000.tar", "manifests/manifest_000000000.json", "x.idx",
                            "kaldi", "data.list", "shards.idx", "parity/a.idx"})
    EXPECT_EQ(manifest::index_kind_of(other), std::nullopt) << other;
}

TEST(IndexFiles, DalisIndexPointsAtTheAudio) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  const auto written = write_index_files({IndexKind::dali}, shards_of(made), out.path().string(),
                                         made.workers(), made.reporter());
  const std::string tar = made.read("shards/audio_000000000.tar");
  std::istringstream lines(base::read_text(out.file(written.files[0].path)));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "v1.2 5");
  std::size_t waves = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string extension;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::string name;
    while (words >> extension >> offset >> bytes >> name) {
      if (extension != "wav") continue;
      ++waves;
      EXPECT_EQ(tar.substr(offset, 4), "RIFF") << line;
      EXPECT_EQ(tar.substr(offset - 512, name.size()), name);
    }
  }
  EXPECT_EQ(waves, 5u);
}

TEST(IndexFiles, PlacesInATarAreOfNoUseForCompressedShards) {
  for (const IndexKind kind : manifest::kAllIndexKinds) {
    EXPECT_NO_THROW(check_codec({kind}, codec::Codec::none));
    if (needs_plain_tar(kind)) {
      EXPECT_THROW(check_codec({kind}, codec::Codec::zstd), UsageError) << name(kind);
    } else {
      EXPECT_NO_THROW(check_codec({kind}, codec::Codec::zstd)) << name(kind);
    }
  }
}

TEST(IndexFiles, AShardThatIsCutIsAnError) {
  MadeDataset made;
  std::filesystem::resize_file(made.path("shards/audio_000000001.tar"), 3000);
  const testing::TemporaryFolder out;
  EXPECT_THROW(write_index_files({IndexKind::wids}, shards_of(made), out.path().string(), made.workers(),
                                 made.reporter()),
               Error);
}

}  // namespace
}  // namespace shardmill::dataset
