#include <gtest/gtest.h>

#include "base/error.hpp"
#include "dataset/forms/index_pack.hpp"
#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

TEST(SharForm, APairOfFilesForEachShard) {
  testing::WrittenForm form("shar");
  ASSERT_EQ(form.write().files.size(), 5u);
  EXPECT_EQ(form.names(1),
            (std::vector<std::string>{"shar/cuts.000000.jsonl", "shar/recording.000000.tar",
                                      "shar/cuts.000000.jsonl.idx", "shar/recording.000000.tar.idx",
                                      "idxpack/shar.idxpack"}));
  const std::string tar = form.read("shar/recording.000000.tar");
  EXPECT_EQ(tar.size() % 512, 0u);
  EXPECT_NE(tar.find("RIFF"), std::string::npos);
  EXPECT_NE(tar.find("\"sources\":[{\"type\":\"shar\""), std::string::npos);
}

TEST(SharForm, IndexesHaveThePlacesOfLinesAndOfEveryOtherMember) {
  testing::WrittenForm form("shar");
  form.write();
  const std::string cuts = form.read("shar/cuts.000000.jsonl");
  const auto lines = places_in(form.file("shar/cuts.000000.jsonl.idx"));
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines.back(), cuts.size());
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    EXPECT_EQ(cuts.find('\n', lines[i]) + 1, lines[i + 1]) << i;
  const std::string tar = form.read("shar/recording.000000.tar");
  const auto samples = places_in(form.file("shar/recording.000000.tar.idx"));
  ASSERT_EQ(samples.size(), lines.size());
  EXPECT_EQ(samples.back(), tar.size());
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) EXPECT_EQ(tar.substr(samples[i] + 257, 5), "ustar");
  EXPECT_EQ(form.read("idxpack/shar.idxpack").substr(0, 8), "IDXPACK2");
}

TEST(SharGzForm, GzippedCutsWithoutIndexes) {
  testing::WrittenForm form("shar-gz");
  ASSERT_EQ(form.write().files.size(), 2u);
  EXPECT_EQ(form.names(1),
            (std::vector<std::string>{"shar-gz/cuts.000000.jsonl.gz", "shar-gz/recording.000000.tar"}));
  EXPECT_EQ(form.read("shar-gz/cuts.000000.jsonl.gz").substr(0, 2), "\x1f\x8b");
}

TEST(SharForm, AudioThatIsNotWhatTheManifestDescribesIsAnError) {
  testing::WrittenForm form("shar");
  std::string tar = form.made().read("shards/audio_000000000.tar");
  tar[tar.find("RIFF") + 60] ^= 1;
  form.made().write("shards/audio_000000000.tar", tar);
  EXPECT_THROW(form.write(), Error);
}

}  // namespace
}  // namespace shardmill::dataset
