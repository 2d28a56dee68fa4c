#include "repack/records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "manifest/layout.hpp"
#include "support/command_output.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

std::string sha256_of(const std::string& bytes) {
  return base::sha256_hex(base::as_bytes(bytes));
}

/// Two shards of two datasets, whose files hold what a test can compare.
class RecordsTest : public ::testing::Test {
 protected:
  RecordsTest() {
    recipe_.sizing = {.by = deal::ShardSizing::By::shards, .amount = 2};
    for (const char* name : {"a", "b"}) finished_.record.datasets.push_back({.dataset = name});
    for (int i = 0; i < 2; ++i) {
      const std::string n = std::to_string(i);
      FinishedShard shard{.record = {},
                          .tally = {},
                          .tar = folder_.write(".shardmill/spool/tar" + n, "tar " + n),
                          .manifest = folder_.write(".shardmill/spool/lines" + n, "{\"n\":" + n + "}\n")};
      shard.record.bytes = shard.record.tar_bytes = 5;
      shard.record.sha256 = sha256_of("tar " + n);
      shard.tally.datasets.resize(2);
      shard.tally.add(0, 2s, true);
      shard.tally.add(1, 3s + i * 1s, false);
      finished_.shards.push_back(shard);
    }
    finished_.forms[{"wav/pcm16", 16000, 1}] = {.samples = 4, .duration = 11s};
  }

  WrittenRecords write() { return write_records(finished_, workers_, reporter_); }
  /// Gives all files their names.
  void publish(const WrittenRecords& written) const {
    for (const auto& [from, to] : written.renames) {
      std::filesystem::create_directories(std::filesystem::path(folder_.file(to)).parent_path());
      std::filesystem::rename(folder_.file(from), folder_.file(to));
    }
  }
  std::string text(const std::string& name) const { return base::read_text(folder_.file(name)); }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{1, 64 << 20};
  dataset::Recipe recipe_;
  FinishedDataset finished_{.folder = folder_.path().string(),
                            .ready = folder_.file(".shardmill/ready"),
                            .recipe = recipe_,
                            .indexes = {},
                            .shards = {},
                            .forms = {},
                            .record = {},
                            .run = {},
                            .rejects = "a reject\n"};
};

TEST_F(RecordsTest, TheShardsSayWhatTheDatasetHolds) {
  const manifest::DatasetRecord dataset = write().dataset;
  EXPECT_EQ(dataset.shards, 2U);
  EXPECT_EQ(dataset.samples, 4U);
  EXPECT_EQ(dataset.with_text, 2U);
  EXPECT_DOUBLE_EQ(dataset.seconds, 11);
  EXPECT_EQ(dataset.bytes, 10U);
  EXPECT_EQ(dataset.datasets[1].samples, 2U);
  EXPECT_DOUBLE_EQ(dataset.datasets[1].seconds, 7);
  EXPECT_DOUBLE_EQ(dataset.balance.min_seconds, 5);
  EXPECT_DOUBLE_EQ(dataset.balance.max_seconds, 6);
  ASSERT_EQ(dataset.audio.size(), 1U);
  EXPECT_EQ(dataset.audio[0].format, "wav/pcm16");
  EXPECT_EQ(dataset.shard_files, "shards/audio_{000000000..000000001}.tar");
}

TEST_F(RecordsTest, EveryFileGetsItsNameAndTheRecordComesLast) {
  const WrittenRecords written = write();
  publish(written);
  EXPECT_EQ(written.renames.back().second, "dataset.json");
  bool is_list = false;
  for (const auto& [from, to] : written.renames) {
    const bool in_folder = to.find('/') != std::string::npos;
    EXPECT_FALSE(in_folder && is_list) << to << " comes after a list that may name it";
    is_list = !in_folder;
  }
  EXPECT_EQ(text("shards/audio_000000001.tar"), "tar 1");
  EXPECT_EQ(text("manifests/manifest_000000001.json"), "{\"n\":1}\n");
  EXPECT_EQ(text("tarred_audio_manifest.json"), "{\"n\":0}\n{\"n\":1}\n");
  EXPECT_EQ(text("rejects.jsonl"), "a reject\n");
  const std::string root = std::filesystem::canonical(folder_.path()).string();
  EXPECT_EQ(text("data.list"),
            root + "/shards/audio_000000000.tar\n" + root + "/shards/audio_000000001.tar\n");
  const std::string checked =
      testing::command_output("cd " + finished_.folder + " && sha256sum -c --strict SHA256SUMS");
  for (const char* name : {"dataset.json", "rejects.jsonl", "shards.jsonl", "tarred_audio_manifest.json",
                           "manifests/manifest_000000000.json", "shards/audio_000000001.tar"})
    EXPECT_THAT(checked, ::testing::HasSubstr(name + std::string(": OK")));
  EXPECT_THAT(checked, ::testing::Not(::testing::HasSubstr("data.list")));
}

TEST_F(RecordsTest, AShardRecordIsMadeOfItsTally) {
  publish(write());
  EXPECT_THAT(text("shards.jsonl"),
              ::testing::HasSubstr("\"path\":\"shards/audio_000000001.tar\",\"samples\":2,\"with_text\":1,"
                                   "\"seconds\":6.0"));
}

TEST_F(RecordsTest, AShardThatStaysKeepsItsFilesAndItsRecord) {
  FinishedShard& old = finished_.shards[0];
  old.is_new = false;
  old.record.path = "shards/audio_000000000.tar";
  old.record.samples = 2;
  old.record.codec = "none";
  old.manifest_sha256 = sha256_of("{\"n\":0}\n");
  const WrittenRecords written = write();
  EXPECT_THAT(written.kept, ElementsAre("manifests/manifest_000000000.json", "shards/audio_000000000.tar"));
  for (const auto& [from, to] : written.renames) EXPECT_FALSE(written.kept.contains(to)) << to;
  EXPECT_EQ(written.dataset.samples, 4U);
}

TEST_F(RecordsTest, SamplesThatWaitAreToldApart) {
  FinishedShard waiting = finished_.shards[1];
  waiting.tar = folder_.write(".shardmill/spool/waiting", "tar 1");
  waiting.manifest = folder_.write(".shardmill/spool/waiting.json", "{}\n");
  waiting.manifest_sha256 = sha256_of("{}\n");
  finished_.pending = waiting;
  const WrittenRecords written = write();
  publish(written);
  EXPECT_EQ(written.dataset.samples, 4U) << "they are in no shard";
  ASSERT_TRUE(written.dataset.pending.has_value());
  EXPECT_EQ(written.dataset.pending->samples, 2U);
  EXPECT_DOUBLE_EQ(written.dataset.pending->seconds, 6);
  EXPECT_EQ(text(std::string(manifest::kPendingTar)), "tar 1");
}

TEST_F(RecordsTest, AManifestThatChangedSinceItWasWrittenIsAnError) {
  base::RunningHash check;
  check.update(base::as_bytes(std::string("{\"n\":1}\n")));
  finished_.shards[1].manifest_check = check.digest();
  EXPECT_NO_THROW(write());
  folder_.write(".shardmill/spool/lines1", "{\"n\":2}\n");
  EXPECT_THROW(write(), Error);
}

TEST_F(RecordsTest, SoIsOneWithAnotherChecksum) {
  finished_.shards[1].manifest_sha256 = sha256_of("{\"n\":2}\n");
  EXPECT_THROW(write(), Error);
}

TEST_F(RecordsTest, AShardWithoutSamplesHasAnEmptyManifest) {
  std::filesystem::remove(finished_.shards[1].manifest);
  finished_.shards[1].tally = {};
  finished_.shards[1].tally.datasets.resize(2);
  const WrittenRecords written = write();
  publish(written);
  EXPECT_EQ(text("manifests/manifest_000000001.json"), "");
  EXPECT_EQ(written.dataset.samples, 2U);
  EXPECT_THAT(text("shards.jsonl"), ::testing::HasSubstr("\"samples\":0,"));
}

TEST_F(RecordsTest, ListsNameTheRootThatWasAskedFor) {
  recipe_.list_root = "/data/set";
  publish(write());
  EXPECT_EQ(text("data.list"),
            "/data/set/shards/audio_000000000.tar\n/data/set/shards/audio_000000001.tar\n");
}

}  // namespace
}  // namespace shardmill::repack
