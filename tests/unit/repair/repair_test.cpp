#include "repair/repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repair {
namespace {

using testing::MadeDataset;

class DerivedFilesTest : public ::testing::Test {
 protected:
  /// Makes a file anew without it being there, and compares it with what repack wrote.
  void expect_made(const std::string& name) {
    const std::string whole = made_.read(name);
    std::filesystem::remove(made_.path(name));
    const auto files = make(name);
    made_.write(name, whole);
    bool is_there = false;
    for (const manifest::Checksum& file : files) {
      const std::string staged = base::read_text(stage_.file(file.path));
      EXPECT_TRUE(staged == made_.read(file.path)) << file.path << ", for " << name;
      base::Sha256 hash;
      hash.update(base::as_bytes(staged));
      EXPECT_EQ(file.sha256, base::to_hex(hash.digest())) << file.path;
      is_there = is_there || file.path == name;
    }
    EXPECT_TRUE(is_there) << name;
  }
  std::vector<manifest::Checksum> make(const std::string& name) {
    return make_derived(name, check::repair_facts(made_.folder(), {name}), made_.folder(),
                        stage_.path().string(), made_.workers(), made_.reporter());
  }

  MadeDataset made_{[](repack::RepackOptions& options) {
    for (const dataset::LoaderForm& form : dataset::all_forms()) options.recipe.indexes.push_back(&form);
  }};
  testing::TemporaryFolder stage_;
};

TEST_F(DerivedFilesTest, ManifestsFromTheListOfAllSamplesAndBack) {
  expect_made("manifests/manifest_000000000.json");
  expect_made("manifests/manifest_000000001.json");
  expect_made("tarred_audio_manifest.json");
}

TEST_F(DerivedFilesTest, TheListOfShards) {
  expect_made("data.list");
}

TEST_F(DerivedFilesTest, AListOfRejectsThatWasEmpty) {
  ASSERT_EQ(made_.read("rejects.jsonl"), "");
  expect_made("rejects.jsonl");
}

TEST_F(DerivedFilesTest, IndexesOfEveryKind) {
  std::size_t indexes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(made_.folder())) {
    const std::string name = entry.path().lexically_relative(made_.folder()).string();
    const bool is_index = name == "index.json" || name.ends_with(".idx") || name.starts_with(".nv-meta/") ||
                          name.starts_with("amphion/") || name.find("speechbrain") != std::string::npos ||
                          name.starts_with("kaldi/") || name.starts_with("shar/") ||
                          name.starts_with("idxpack/") || name == "README.md" || name == "croissant.json";
    if (!entry.is_regular_file() || !is_index) continue;
    expect_made(name);
    ++indexes;
  }
  EXPECT_GE(indexes, 5u);
}

TEST_F(DerivedFilesTest, WhatTheyAreMadeOfMustBeThere) {
  std::filesystem::remove(made_.path("tarred_audio_manifest.json"));
  EXPECT_THROW(make("manifests/manifest_000000000.json"), Error);
  EXPECT_FALSE(std::filesystem::exists(stage_.file("manifests/manifest_000000000.json")));
}

}  // namespace
}  // namespace shardmill::repair
