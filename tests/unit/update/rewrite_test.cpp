#include <gtest/gtest.h>

#include <string>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "update/update_case.hpp"
#include "update/updating.hpp"

namespace shardmill::update {
namespace {

class RewriteTest : public UpdateCase {
 protected:
  explicit RewriteTest(const testing::MadeDataset::Change& change = {}) : UpdateCase(change) {}

  Rewritten rewrite_now() {
    look_up();
    Stock stock = first_stock(*request_, facts_, std::nullopt);
    decision_ = decide(*request_, facts_, stock);
    return rewrite(*request_, facts_, decision_, stock, made_.workers(), made_.reporter());
  }
  static std::string sha256_of(const std::string& path) {
    const std::string bytes = base::read_text(path);
    return base::sha256_hex(base::as_bytes(bytes));
  }
  /// The new tar holds the audio that the new manifest says, where it says so.
  static void check_places(const UpdatedShard& shard, const std::string& tar) {
    manifest::SampleRecord record;
    std::uint64_t samples = 0;
    for (manifest::RecordReader reader(shard.files.manifest); reader.next(record); ++samples) {
      const std::string audio = tar.substr(record.tar_offset, record.audio_bytes);
      EXPECT_EQ(base::xxh3_128(base::as_bytes(audio)), record.xxh3) << record.key;
    }
    EXPECT_EQ(samples, shard.contents.tally().samples());
  }

  Decision decision_;
};

TEST_F(RewriteTest, ChangedShardsAreWrittenAndOthersStay) {
  const std::string key = *keys_in(made_.path("manifests/manifest_000000001.json")).begin();
  remove(key + "\n");
  const Rewritten rewritten = rewrite_now();
  ASSERT_EQ(rewritten.shards.size(), 2U);
  EXPECT_FALSE(rewritten.pending.has_value());
  const UpdatedShard& changed = rewritten.shards[1];
  ASSERT_TRUE(changed.files.is_new);
  EXPECT_EQ(changed.files.record.sha256, sha256_of(changed.files.tar));
  EXPECT_EQ(changed.files.manifest_sha256, sha256_of(changed.files.manifest));
  EXPECT_FALSE(keys_in(changed.files.manifest).contains(key));
  check_places(changed, base::read_text(changed.files.tar));
  EXPECT_EQ(testing::command_output("tar -tf " + changed.files.tar + " | wc -l"), "8\n");
  const UpdatedShard& kept = rewritten.shards[0];
  EXPECT_EQ(kept.files.is_new, decision_.changed[0]);
  if (!kept.files.is_new) {
    EXPECT_EQ(kept.files.tar, made_.path("shards/audio_000000000.tar"));
  }
}

TEST_F(RewriteTest, TheSameBytesForAnyNumberOfThreads) {
  remove("key3\nkey4\n");
  const std::string one = rewrite_now().shards.back().files.record.sha256;
  pipeline::Workers many(4, std::uint64_t{256} << 20);
  Stock stock = first_stock(*request_, facts_, std::nullopt);
  decision_ = decide(*request_, facts_, stock);
  EXPECT_EQ(
      rewrite(*request_, facts_, decision_, stock, many, made_.reporter()).shards.back().files.record.sha256,
      one);
}

class CompressedRewriteTest : public RewriteTest {
 protected:
  CompressedRewriteTest()
      : RewriteTest([](repack::RepackOptions& options) { options.recipe.codec = codec::Codec::zstd; }) {}
};

TEST_F(CompressedRewriteTest, ShardsStayCompressed) {
  remove("key3\n");
  const Rewritten rewritten = rewrite_now();
  for (const UpdatedShard& shard : rewritten.shards) {
    EXPECT_TRUE(shard.files.tar.ends_with(".tar.zst"));
    const std::string plain = testing::command_output("zstd -dc < " + shard.files.tar);
    EXPECT_EQ(shard.files.record.tar_bytes, plain.size());
    check_places(shard, plain);
  }
}

}  // namespace
}  // namespace shardmill::update
