#include "check/shards_check.hpp"

#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
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
