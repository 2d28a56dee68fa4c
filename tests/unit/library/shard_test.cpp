#include "shardmill/shard.hpp"

#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "codec/codec_files.hpp"
#include "shardmill/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill {
namespace {

/// Keys, and extensions with sizes: "a(txt:3 wav:44) ".
std::string samples(const std::string& path, const ReadOptions& options = {}, std::size_t most = SIZE_MAX) {
  std::string seen;
  read_shard(path, options, [&](Sample&& sample) {
    seen += sample.key + "(";
    for (const Member& member : sample.members)
      seen += " " + member.extension + ":" + std::to_string(member.bytes.size());
    seen += ") ";
    return --most > 0;
  });
  return seen;
}

class ReadShard : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string tar_ = archive_of(3);

  static std::string archive_of(int count) {
    std::vector<std::pair<std::string, std::string>> files;
    for (int i = 0; i < count; ++i) {
      const std::string key = "k" + std::to_string(i);
      files.emplace_back(key + ".txt", "text");
      files.emplace_back(key + ".wav", testing::made_wav(20));
    }
    return archive::make_tar(files);
  }
};

TEST_F(ReadShard, GivesTheSamplesOfAnyCompressionInOrder) {
  for (const char* program : {"cat", "bzip2 -c", "gzip -c", "xz -0c", "zstd -qc", "lz4 -qc"}) {
    const std::string path = folder_.write("a", codec::testing::through(program, tar_));
    EXPECT_EQ(samples(path), "k0( txt:4 wav:84) k1( txt:4 wav:84) k2( txt:4 wav:84) ") << program;
  }
}

TEST_F(ReadShard, StopsWhereTheCallerHasEnough) {
  EXPECT_EQ(samples(folder_.write("a", tar_), {}, 1), "k0( txt:4 wav:84) ");
}

TEST_F(ReadShard, AFileThatChangesIsAnError) {
  const std::string path = folder_.write("a", tar_);
  const auto change = [&](Sample&&) {
    folder_.write("a", tar_ + tar_);
    return true;
  };
  EXPECT_THROW(read_shard(path, {}, change), Error);
}

TEST_F(ReadShard, DamageIsAnErrorOrIsSkipped) {
  const std::string path = folder_.write("a", tar_.substr(0, 2500));
  EXPECT_THROW(samples(path), Error);
  const std::string seen = samples(path, {.skip_damage = true});
  EXPECT_TRUE(seen.starts_with("k0( txt:4 wav:84) ")) << seen;
  EXPECT_EQ(seen.find("k2"), std::string::npos) << seen;
  EXPECT_THROW(samples(folder_.file("missing")), Error);
}

}  // namespace
}  // namespace shardmill
