#include <gtest/gtest.h>

#include "base/error.hpp"
#include "dataset/forms/written_form.hpp"

namespace shardmill::dataset {
namespace {

TEST(SharForm, APairOfFilesForEachShard) {
  testing::WrittenForm form("shar");
  ASSERT_EQ(form.write().files.size(), 2u);
  EXPECT_EQ(form.names(1),
            (std::vector<std::string>{"shar/cuts.000000.jsonl.gz", "shar/recording.000000.tar"}));
  const std::string tar = form.read("shar/recording.000000.tar");
  EXPECT_EQ(tar.size() % 512, 0u);
  EXPECT_NE(tar.find("RIFF"), std::string::npos);
  EXPECT_NE(tar.find("\"sources\":[{\"type\":\"shar\""), std::string::npos);
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
