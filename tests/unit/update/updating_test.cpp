#include "update/updating.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "update/update_case.hpp"

namespace shardmill::update {
namespace {

class UpdatingTest : public UpdateCase {
 protected:
  explicit UpdatingTest(const testing::MadeDataset::Change& change = {}) : UpdateCase(change) {}

  PreparedUpdate prepare() {
    removal_ = options_.removes() ? std::make_shared<Removal>(options_) : nullptr;
    Updating updating(options_, removal_, made_.workers(), made_.reporter());
    EXPECT_FALSE(updating.is_done());
    updating.read_manifests();
    return updating.prepare();
  }
};

TEST_F(UpdatingTest, AllFilesArePreparedAndNoneHasItsName) {
  const std::string record = made_.read("dataset.json");
  remove("key3\n");
  const PreparedUpdate prepared = prepare();
  ASSERT_TRUE(prepared.is_complete());
  EXPECT_EQ(made_.read("dataset.json"), record);
  EXPECT_EQ(prepared.renames.back().second, "dataset.json") << "it is the last";
  bool has_list = false;
  for (const auto& [from, to] : prepared.renames) {
    EXPECT_NO_THROW(base::File::open_read(made_.path(from))) << to;
    EXPECT_FALSE(prepared.kept.contains(to));
    has_list = has_list || to.find('/') == std::string::npos;
    if (to.find('/') != std::string::npos) {
      EXPECT_FALSE(has_list) << to << " comes after a list";
    }
  }
  EXPECT_EQ(prepared.summary.dataset.samples, 9U);
  EXPECT_EQ(prepared.summary.dataset.updates.size(), 1U);
}

TEST_F(UpdatingTest, WhatIsDerivedFromTheOldDatasetIsDropped) {
  std::filesystem::create_directory(made_.path("ranks"));
  made_.write("report.html", "<!DOCTYPE html><title>shardmill report</title>");
  remove("key3\n");
  EXPECT_THAT(prepare().summary.dropped, ::testing::Contains("report.html"));
}

TEST_F(UpdatingTest, TheTextsThatStayAreCounted) {
  remove("key3\n");
  const PreparedUpdate prepared = prepare();
  EXPECT_EQ(prepared.summary.dataset.with_text, 9U);
  EXPECT_EQ(prepared.summary.dataset.datasets[0].with_text, 9U);
  EXPECT_EQ(prepared.summary.dataset.datasets[0].samples, 9U);
}

TEST_F(UpdatingTest, AManifestThatChangedIsAnError) {
  options_.rewrite_limit = 0;  // so the other shard stays as it is
  const bool is_in_first = keys_in(made_.path("manifests/manifest_000000000.json")).contains("key3");
  const std::string manifest =
      is_in_first ? "manifests/manifest_000000001.json" : "manifests/manifest_000000000.json";
  std::string text = made_.read(manifest);
  const std::size_t word = text.find("text of");
  text.replace(word, 4, "TEXT");
  made_.write(manifest, text);
  remove("key3\n");
  EXPECT_THROW(prepare(), Error);
}

class EvenUpdatingTest : public UpdatingTest {
 protected:
  EvenUpdatingTest()
      : UpdatingTest([](repack::RepackOptions& options) { options.recipe.even = deal::Even::leave_out; }) {}
};

TEST_F(EvenUpdatingTest, ShardsKeepEqualNumbers) {
  remove("key3\n");
  const PreparedUpdate prepared = prepare();
  EXPECT_EQ(prepared.summary.dataset.balance.min_samples, prepared.summary.dataset.balance.max_samples);
  EXPECT_EQ(prepared.summary.dataset.samples + prepared.summary.waiting, 9U);
}

class ProtectedUpdatingTest : public UpdatingTest {
 protected:
  ProtectedUpdatingTest() : UpdatingTest([](repack::RepackOptions& options) { options.recipe.parity = 1; }) {}
};

TEST_F(ProtectedUpdatingTest, ADamagedShardIsNotProtectedAnew) {
  made_.flip("shards/audio_000000000.tar", 700);
  remove("key3\n");
  try {
    prepare();
    ADD_FAILURE() << "parity of a damaged shard restores nothing";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("is damaged"));
  }
}

}  // namespace
}  // namespace shardmill::update
