#include "convert/cat.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::convert {
namespace {

class CatTest : public ::testing::Test {
 protected:
  std::string cat(const CatOptions& options) {
    const std::string path = folder_.file("out");
    base::File out = base::File::create(path);
    const CatSummary summary = run_cat(options, out, made_.workers(), made_.reporter());
    out.close();
    const std::string text = base::read_text(path);
    EXPECT_EQ(summary.bytes, text.size());
    return text;
  }

  testing::MadeDataset made_;
  testing::TemporaryFolder folder_;
};

TEST_F(CatTest, GivesThePlainTarOfAnyCompression) {
  const std::string tar = base::read_text(made_.source());
  for (const char* program : {"cat", "bzip2 -c", "gzip -c", "xz -0c", "zstd -qc", "lz4 -qc"}) {
    const std::string shard = folder_.write("shard", codec::testing::through(program, tar));
    EXPECT_TRUE(cat({.shard = shard, .member = ""}) == tar) << program;
  }
}

TEST_F(CatTest, GivesAMemberByItsNameOrItsKey) {
  EXPECT_EQ(cat({.shard = made_.source(), .member = "key3.txt"}), "text of key3");
  EXPECT_TRUE(cat({.shard = made_.source(), .member = "key3.wav"}) == testing::made_wav(1600 + 3 * 160, 3));
  EXPECT_THROW(cat({.shard = made_.source(), .member = "key99"}), Error);
  EXPECT_THROW(cat({.shard = made_.source(), .member = "key3.flac"}), Error);
}

TEST_F(CatTest, WhatStandsBeforeDamageIsWritten) {
  const std::string tar = base::read_text(made_.source());
  std::string packed = codec::testing::through("gzip -c", tar);
  const std::string shard = folder_.write("cut", packed.substr(0, packed.size() / 2));
  base::File out = base::File::create(folder_.file("out"));
  EXPECT_THROW(run_cat({.shard = shard, .member = ""}, out, made_.workers(), made_.reporter()), Error);
  const std::string written = base::read_text(folder_.file("out"));
  EXPECT_GT(written.size(), tar.size() / 4);
  EXPECT_TRUE(tar.starts_with(written));
}

}  // namespace
}  // namespace shardmill::convert
