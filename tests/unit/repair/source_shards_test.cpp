#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "repair/repair.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repair {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;

class SourceShardsTest : public ::testing::Test {
 protected:
  static std::vector<manifest::Checksum> pack(MadeDataset& made, const testing::TemporaryFolder& stage,
                                              const std::vector<std::string>& shards) {
    return pack_from_sources(shards, made.folder(), stage.path().string(), false, made.workers(),
                             made.reporter());
  }
  std::string problem(MadeDataset& made, const std::vector<std::string>& shards) {
    const testing::TemporaryFolder stage;
    try {
      pack(made, stage, shards);
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }
  static void change_source(MadeDataset& made, const std::string& content) {
    std::ofstream(made.source(), std::ios::binary) << content;
  }
};

TEST_F(SourceShardsTest, GivesTheSameBytesWithAnyCodecAndForm) {
  const std::vector<MadeDataset::Change> changes{
      {},
      [](auto& options) {
        options.recipe.codec = codec::Codec::zstd;
        options.recipe.level = 5;
      },
      [](auto& options) { options.recipe.codec = codec::Codec::gzip; },
      [](auto& options) { options.recipe.intake.form.container = audio::WantedForm::Container::flac; },
      [](auto& options) {
        options.recipe.intake.form.sample_rate = 8000;
        options.recipe.seed = 5;
      },
      [](auto& options) { options.recipe.intake.text = pipeline::TextPlace::manifest; },
      [](auto& options) {
        options.recipe.weights = {{"set", 2.5}};
      },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    MadeDataset made(changes[i]);
    std::vector<std::string> shards;
    for (const auto& entry : std::filesystem::directory_iterator(made.path("shards")))
      if (entry.path().string().find(".tar") != std::string::npos && !entry.path().string().ends_with(".idx"))
        shards.push_back("shards/" + entry.path().filename().string());
    ASSERT_EQ(shards.size(), 2u);
    for (const auto& some : {shards, {shards[1]}}) {
      const testing::TemporaryFolder stage;
      const auto packed = pack(made, stage, some);
      ASSERT_EQ(packed.size(), some.size()) << i;
      for (const manifest::Checksum& each : packed) {
        EXPECT_TRUE(base::read_text(stage.file(each.path)) == made.read(each.path)) << i << ": " << each.path;
        EXPECT_THAT(made.read("SHA256SUMS"), HasSubstr(each.sha256 + "  " + each.path)) << i;
      }
    }
  }
}

TEST_F(SourceShardsTest, SourcesThatAreGoneOrChangedAreNamed) {
  const std::vector<std::string> shards{"shards/audio_000000000.tar"};
  MadeDataset made;
  const std::string source = base::read_text(made.source());
  // The audio of one sample is another one now.
  std::string changed = source;
  const std::size_t wav = changed.find("WAVEfmt");
  ASSERT_NE(wav, std::string::npos);
  for (std::size_t at = changed.find("WAVEfmt"); at != changed.npos; at = changed.find("WAVEfmt", at + 1))
    changed[at + 100] = static_cast<char>(changed[at + 100] ^ 1);
  change_source(made, changed);
  EXPECT_THAT(problem(made, shards), HasSubstr("has changed"));
  // Half of it is gone.
  change_source(made, source.substr(0, 3000));
  EXPECT_NE(problem(made, shards), "no problem");
  std::filesystem::remove(made.source());
  EXPECT_THAT(problem(made, shards), HasSubstr(made.source()));
}

TEST_F(SourceShardsTest, OneShardThatCannotBePackedDoesNotHinderTheOther) {
  MadeDataset made;
  // Only samples of one shard are there any more.
  const std::string manifest = made.read("manifests/manifest_000000000.json");
  std::string source = base::read_text(made.source());
  for (std::size_t i = 0; i < MadeDataset::kSamples; ++i) {
    const std::string key = "key" + std::to_string(i);
    if (manifest.find("\"" + key + "\"") != std::string::npos) continue;
    const std::size_t wav = source.find("data", source.find(key + ".wav"));
    source[wav + 50] = static_cast<char>(source[wav + 50] ^ 1);
  }
  change_source(made, source);
  const testing::TemporaryFolder stage;
  const auto packed = pack(made, stage, {"shards/audio_000000000.tar", "shards/audio_000000001.tar"});
  ASSERT_EQ(packed.size(), 1u);
  EXPECT_EQ(packed[0].path, "shards/audio_000000000.tar");
}

TEST_F(SourceShardsTest, AShardThatNoRecordTellsOf) {
  MadeDataset made;
  EXPECT_THAT(problem(made, {"shards/audio_000000009.tar"}),
              HasSubstr("audio_000000009.tar: no record names it"));
}

}  // namespace
}  // namespace shardmill::repair
