// Datasets beside sources that differ from those they were made of in one thing.
#include "check/verify/against.hpp"

#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "check/dataset_check.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

using testing::made_wav;
using testing::MadeDataset;
using Files = std::vector<std::pair<std::string, std::string>>;

class AgainstTest : public ::testing::Test {
 protected:
  /// What the dataset was made of.
  static Files source() {
    Files files;
    for (unsigned i = 0; i < MadeDataset::kSamples; ++i) {
      const std::string key = "key" + std::to_string(i);
      files.emplace_back(key + ".txt", "text of " + key);
      files.emplace_back(key + ".wav", made_wav(1600 + 160 * i, i));
    }
    return files;
  }

  /// The findings that speak of the key, of a dataset whose source is said to be `files`.
  std::size_t findings_of(const std::string& key, const Files& files) {
    const testing::TemporaryFolder folder;
    const std::string path = folder.write("other.tar", archive::make_tar(files));
    FindingList list;
    VerifySummary summary;
    verify_dataset(made_.folder(), {.targets = {}, .against = {"set=" + path}}, made_.workers(),
                   made_.reporter(), list, summary);
    std::size_t count = 0;
    for (const Finding& finding : list.take()) {
      if (finding.severity == Finding::Severity::finding && to_string(finding).find(key) != std::string::npos)
        ++count;
    }
    return count;
  }

  MadeDataset made_;
};

TEST_F(AgainstTest, TheSameSamplesAreGood) {
  EXPECT_EQ(findings_of("key", source()), 0u);
}

TEST_F(AgainstTest, ASampleThatTheSourceHasAndTheDatasetHasNotIsLost) {
  Files files = source();
  files.emplace_back("more.txt", "x");
  files.emplace_back("more.wav", made_wav(100));
  EXPECT_EQ(findings_of("more", files), 1u);
}

TEST_F(AgainstTest, ASampleThatNoSourceHasIsFound) {
  Files files = source();
  files.erase(files.begin() + 6, files.begin() + 8);
  EXPECT_EQ(findings_of("key3", files), 1u);
}

TEST_F(AgainstTest, AnotherAudioAnotherTextAndAnotherMemberAreFound) {
  Files files = source();
  files[7].second.back() = static_cast<char>(files[7].second.back() ^ 1);
  EXPECT_GE(findings_of("key3", files), 1u);
  files = source();
  files[6].second += "!";
  EXPECT_GE(findings_of("key3", files), 1u);
  files = source();
  files.insert(files.begin() + 8, {"key3.json", "{}"});
  EXPECT_GE(findings_of("key3", files), 1u);
}

TEST_F(AgainstTest, ASampleTwiceInTheSourceIsFound) {
  Files files = source();
  files.emplace_back("key3.txt", files[6].second);
  files.emplace_back("key3.wav", files[7].second);
  EXPECT_GE(findings_of("key3", files), 1u);
}

}  // namespace
}  // namespace shardmill::check
