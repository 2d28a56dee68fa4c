#include "commands/inspect.hpp"

#include <gtest/gtest.h>

#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::commands {
namespace {

TEST(RunInspect, CountsWhatIsThereAndMeasuresTheDecoder) {
  testing::MadeDataset made;
  const testing::TemporaryFolder folder;
  const std::string shard =
      folder.write("audio_0.tar.bz2", codec::testing::through("bzip2 -c", base::read_text(made.source())));
  const auto summary = run_inspect({.sources = {shard}}, made.workers(), made.reporter());
  ASSERT_EQ(summary.datasets.size(), 1u);
  EXPECT_EQ(summary.datasets[0].contents.samples, testing::MadeDataset::kSamples);
  EXPECT_EQ(summary.datasets[0].contents.tar_bytes, base::read_text(made.source()).size());
  EXPECT_GT(summary.datasets[0].speeds.at(codec::Codec::bzip2).decoded_bytes_per_second, 1e5);
  EXPECT_FALSE(summary.damaged());
}

}  // namespace
}  // namespace shardmill::commands
