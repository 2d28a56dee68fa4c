#include "dataset/indexes/kaldi_lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/io/file.hpp"
#include "manifest/form_names.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

std::vector<ShardToIndex> listed_shards(const MadeDataset& made, const std::string& root) {
  std::vector<ShardToIndex> shards;
  for (const char* number : {"000000000", "000000001"}) {
    const std::string name = std::string("shards/audio_") + number + ".tar";
    shards.push_back({.path = made.path(name),
                      .name = name,
                      .manifest = made.path(std::string("manifests/manifest_") + number + ".json"),
                      .listed = root + "/" + name});
  }
  return shards;
}

TEST(KaldiLists, TheSameLinesOfAudioWhetherWrittenOrGiven) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  write_kaldi_lists(listed_shards(made, "/r"), out.path().string(), made.reporter(), written);
  std::string audio;
  std::string places;
  std::vector<std::string> lines;
  for_each_kaldi_audio(listed_shards(made, "/r"), made.reporter(),
                       [&](std::string_view audio_line, std::string_view place_line) {
                         audio += audio_line;
                         places += place_line;
                         lines.emplace_back(audio_line);
                       });
  EXPECT_EQ(lines.size(), MadeDataset::kSamples);
  EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
  EXPECT_EQ(base::read_text(out.file(std::string(manifest::kKaldiAudio))), audio);
  EXPECT_EQ(base::read_text(out.file(std::string(manifest::kKaldiPlaces))), places);
  EXPECT_NE(audio.find(" '/r/shards/audio_000000000.tar' | head -c "), std::string::npos) << audio;
  EXPECT_NE(places.find(" /r/shards/audio_000000000.tar:"), std::string::npos) << places;
}

TEST(KaldiLists, JustTheFilesThatWereAnnounced) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  write_kaldi_lists(listed_shards(made, "/r"), out.path().string(), made.reporter(), written);
  std::vector<std::string> names;
  for (const manifest::Checksum& file : written.files) names.push_back(file.path);
  std::vector<std::string> announced = kaldi_list_names();
  std::sort(names.begin(), names.end());
  std::sort(announced.begin(), announced.end());
  EXPECT_EQ(names, announced);
}

}  // namespace
}  // namespace shardmill::dataset
