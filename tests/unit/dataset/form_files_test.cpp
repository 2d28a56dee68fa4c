#include "dataset/form_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "dataset/owned_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

Forms all() {
  Forms forms;
  for (const LoaderForm& form : all_forms()) forms.push_back(&form);
  return forms;
}

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

TEST(FormFiles, JustTheFilesThatWereAnnouncedWithTheirChecksums) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  const WrittenIndexes written =
      write_form_files(all(), shards_of(made), out.path().string(), made.workers(), made.reporter());
  const auto announced =
      form_file_names(all(), {"shards/audio_000000000.tar", "shards/audio_000000001.tar"}, {"set"});
  std::set<std::string> names;
  for (const manifest::Checksum& file : written.files) {
    // Their names contain the place of the dataset.
    if (!file.path.starts_with("lhotse/")) names.insert(file.path);
    EXPECT_TRUE(holds_just(out.file(file.path), file.sha256)) << file.path;
  }
  EXPECT_EQ(names, std::set<std::string>(announced.begin(), announced.end()));
  EXPECT_EQ(written.samples, MadeDataset::kSamples);
}

// DALI's index names the place of each member in the shard: the bytes there are those of the manifest's hash.
TEST(FormFiles, DalisIndexPointsAtTheAudio) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  const auto written = write_form_files({form_named("dali")}, shards_of(made), out.path().string(),
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

TEST(FormFiles, AShardThatIsCutIsAnError) {
  MadeDataset made;
  std::filesystem::resize_file(made.path("shards/audio_000000001.tar"), 3000);
  const testing::TemporaryFolder out;
  EXPECT_THROW(write_form_files({form_named("wids")}, shards_of(made), out.path().string(), made.workers(),
                                made.reporter()),
               Error);
}

}  // namespace
}  // namespace shardmill::dataset
