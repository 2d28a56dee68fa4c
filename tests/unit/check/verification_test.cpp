#include "check/verification.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {

namespace {

VerifySummary summary(bool is_dataset) {
  VerifySummary made{.is_dataset = is_dataset};
  made.findings = {{.where = at("d/shards/b.tar"), .what = "x"},
                   {.where = at("d/shards/b.tar"), .what = "y"},
                   {.where = at("d/shards/a.tar"), .what = "x"},
                   {.where = at("d/manifests/a.json"), .what = "x"},
                   {.severity = Finding::Severity::note, .where = at("d/shards/c.tar"), .what = "x"}};
  return made;
}

TEST(VerifySummary, BadShardsAreNamedOnceAndNotesMakeNoneBad) {
  EXPECT_EQ(summary(true).bad_shards(), (std::vector<std::string>{"d/shards/a.tar", "d/shards/b.tar"}));
  EXPECT_EQ(summary(false).bad_shards(),
            (std::vector<std::string>{"d/manifests/a.json", "d/shards/a.tar", "d/shards/b.tar"}));
  EXPECT_EQ(summary(true).count(Finding::Severity::finding), 4u);
  EXPECT_EQ(summary(true).count(Finding::Severity::note), 1u);
}

TEST(DatasetFolder, IsKnownEvenWhenItIsNotWhole) {
  const testing::MadeDataset made;
  EXPECT_TRUE(is_dataset_folder(made.folder()));
  std::filesystem::remove(made.path("dataset.json"));
  EXPECT_TRUE(is_dataset_folder(made.folder()));
  EXPECT_FALSE(is_dataset_folder(made.path("shards")));
  EXPECT_FALSE(is_dataset_folder(made.source()));
  EXPECT_FALSE(is_dataset_folder(made.path("missing")));
}

}  // namespace

namespace {

using testing::MadeDataset;

TEST(Verify, ADatasetAndItsShardsAloneAreGood) {
  MadeDataset made;
  const auto dataset = run_verify({.targets = {made.folder()}, .decode = true, .against = {}}, made.workers(),
                                  made.reporter());
  EXPECT_TRUE(dataset.is_dataset);
  EXPECT_EQ(dataset.samples, MadeDataset::kSamples);
  EXPECT_EQ(dataset.count(Finding::Severity::finding), 0u);
  const auto shards =
      run_verify({.targets = {made.path("shards")}, .against = {}}, made.workers(), made.reporter());
  EXPECT_FALSE(shards.is_dataset);
  EXPECT_EQ(shards.samples, MadeDataset::kSamples);
  EXPECT_DOUBLE_EQ(shards.audio_seconds, dataset.audio_seconds);
}

TEST(Verify, FindingsComeInTheSameOrderWithAnyNumberOfThreads) {
  MadeDataset made;
  for (const char* file : {"shards/audio_000000000.tar", "shards/audio_000000001.tar", "run.json"})
    made.flip(file, 700);
  std::string first;
  for (const unsigned threads : {1U, 2U, 4U}) {
    pipeline::Workers workers(threads, std::uint64_t{64} << 20);
    std::string text;
    for (const Finding& finding :
         run_verify({.targets = {made.folder()}, .against = {}}, workers, made.reporter()).findings)
      text += to_string(finding) + "\n";
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << threads;
  }
  EXPECT_NE(first, "");
}

TEST(Verify, TargetsThatMakeNoSenseAreRefused) {
  MadeDataset made;
  EXPECT_THROW(
      run_verify({.targets = {made.folder(), made.source()}, .against = {}}, made.workers(), made.reporter()),
      UsageError);
  EXPECT_THROW(
      run_verify({.targets = {made.path("nowhere.tar")}, .against = {}}, made.workers(), made.reporter()),
      Error);
}

TEST(Verify, StopsWhenItShould) {
  MadeDataset made;
  made.reporter().signal = SIGTERM;
  EXPECT_THROW(run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter()),
               Interrupted);
}

}  // namespace

namespace {

using testing::made_wav;

class ShardsCheckTest : public ::testing::Test {
 protected:
  std::string findings(const std::string& tar, bool decode = true) {
    FindingList list;
    summary_ = {};
    verify_shards({.targets = {folder_.write("a.tar", tar)}, .decode = decode, .against = {}}, workers_,
                  reporter_, list, summary_);
    std::string lines;
    for (const Finding& finding : list.take()) {
      if (finding.severity == Finding::Severity::finding) lines += to_string(finding) + "\n";
    }
    return lines;
  }

  std::string good_ =
      archive::make_tar({{"a.txt", "x"}, {"a.wav", made_wav(1000)}, {"b.txt", ""}, {"b.wav", made_wav(400)}});
  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{1, std::uint64_t{64} << 20};
  VerifySummary summary_;
};

TEST_F(ShardsCheckTest, AGoodShardIsGoodAndCounted) {
  EXPECT_EQ(findings(good_), "");
  EXPECT_EQ(summary_.samples, 2u);
  EXPECT_EQ(summary_.shards, 1u);
  EXPECT_DOUBLE_EQ(summary_.audio_seconds, 1400 / 16000.0);
  EXPECT_FALSE(summary_.is_dataset);
}

TEST_F(ShardsCheckTest, EveryCutIsFound) {
  for (std::size_t cut = 1; cut < good_.size() - 512; cut += 97)
    EXPECT_NE(findings(good_.substr(0, cut)), "") << cut;
}

TEST_F(ShardsCheckTest, AudioThatIsCutInsideAGoodTarIsFound) {
  const std::string wav = made_wav(1000);
  EXPECT_NE(findings(archive::make_tar({{"a.txt", "x"}, {"a.wav", wav.substr(0, 900)}})), "");
  EXPECT_NE(findings(archive::make_tar({{"a.txt", "x"}, {"a.wav", "no audio at all"}})), "");
}

TEST_F(ShardsCheckTest, AHeaderWithAFlippedBitIsFound) {
  for (std::size_t bit = 0; bit < 8 * 512; bit += 37) {
    std::string tar = good_;
    tar[bit / 8] = static_cast<char>(tar[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(findings(tar), "") << bit;
  }
}

}  // namespace

}  // namespace shardmill::check
