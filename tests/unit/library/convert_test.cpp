#include "shardmill/convert.hpp"

#include <gtest/gtest.h>

#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill {
namespace {

TEST(LibraryConvert, EachCodecIsTheOneThatItsNameSays) {
  const testing::MadeDataset made;
  const std::string tar = base::read_text(made.source());
  const testing::TemporaryFolder folder;
  Observer observer;
  const std::pair<Codec, const char*> programs[] = {
      {Codec::none, "cat"}, {Codec::zstd, "zstd -dqc"}, {Codec::lz4, "lz4 -dqc"}, {Codec::gzip, "gzip -dc"}};
  for (const auto& [codec, program] : programs) {
    ConvertOptions options{.shards = {made.source()}, .out_folder = folder.file("out"), .codec = codec};
    const auto converted = run_convert(options, observer);
    ASSERT_EQ(converted.size(), 1u);
    EXPECT_EQ(converted[0].problem, "");
    EXPECT_TRUE(codec::testing::through(program, base::read_text(converted[0].result)) == tar) << program;
    EXPECT_TRUE(run_convert(options, observer)[0].up_to_date) << program;
  }
}

TEST(LibraryConvert, AShardThatFailsSaysWhy) {
  const testing::TemporaryFolder folder;
  Observer observer;
  const std::string bad = folder.write("bad.tar.gz", std::string("\x1f\x8b\x08\0nonsense", 12));
  const auto converted =
      run_convert({.shards = {bad}, .out_folder = folder.file("out"), .codec = Codec::zstd}, observer);
  EXPECT_NE(converted.at(0).problem, "");
}

}  // namespace
}  // namespace shardmill
