#include "repack/free_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::HasSubstr;

RepackPlan plan_of(std::uint64_t samples, std::uint64_t bytes, std::uint32_t shards) {
  RepackPlan plan;
  plan.estimate.samples = samples;
  plan.estimate.bytes = bytes;
  plan.shards = shards;
  return plan;
}

TEST(PlannedBytes, TarsAndTheirRecords) {
  // Samples that are held back are written twice: 16 of each shard.
  EXPECT_EQ(planned_bytes(plan_of(1'000'000, 1'000'000'000, 10), 4),
            1'000'000'000u + 1'000'000'000u + 160'000u);
  EXPECT_EQ(planned_bytes(plan_of(0, 0, 1), 4), 0u);
  // Where all are held back, all are written twice, and no more.
  EXPECT_EQ(planned_bytes(plan_of(10, 1000, 10), 4), 2000u + 10'000u);
}

TEST(PlannedBytes, ShardsThatAreCompressedAtATimeAndParity) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 10);
  const std::uint64_t plain = planned_bytes(plan, 4);
  plan.recipe.codec = codec::Codec::zstd;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 400'000'000);
  EXPECT_EQ(planned_bytes(plan, 100), plain + 1'000'000'000);
  plan.recipe.codec = codec::Codec::none;
  plan.recipe.parity = 1;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 200'000'000);
}

TEST(PlannedBytes, OnlyWhatIsTaken) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 1);
  plan.recipe.intake.limit = 1000;
  EXPECT_NEAR(static_cast<double>(planned_bytes(plan, 1)), 2'016'000, 1);
  plan.recipe.intake.limit = 2'000'000;
  EXPECT_EQ(planned_bytes(plan, 1), planned_bytes(plan_of(1'000'000, 1'000'000'000, 1), 1));
}

TEST(FreeSpace, TooLittleIsAnErrorWithBothFigures) {
  const TemporaryFolder folder;
  const std::string out = folder.file("not/there/yet");
  EXPECT_NO_THROW(check_free_space(out, 0));
  EXPECT_NO_THROW(check_free_space(out, 1000));
  constexpr std::uint64_t kFar = std::uint64_t{1} << 60;
  try {
    check_free_space(out, kFar);
    ADD_FAILURE() << "no disk is so large";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("not/there/yet: needs about 1.15 EB more, and the filesystem has "));
    EXPECT_THAT(error.what(), HasSubstr("--ignore-free-space"));
  }
  // What is written already is not needed once more.
  EXPECT_NO_THROW(check_free_space(out, kFar, kFar));
  EXPECT_NO_THROW(check_free_space(out, 10, kFar));
}

TEST(FreeSpace, OfAFolderAndBelow) {
  const TemporaryFolder folder;
  EXPECT_EQ(bytes_below(folder.path().string()), 0u);
  EXPECT_EQ(bytes_below(folder.file("none")), 0u);
  folder.write("a", "12345");
  folder.write("b/c/d", std::string(1000, 'x'));
  std::filesystem::create_symlink("a", folder.file("link to nothing new"));
  std::filesystem::create_symlink("none", folder.file("dangling"));
  EXPECT_GE(bytes_below(folder.path().string()), 1005u);
  EXPECT_LE(bytes_below(folder.path().string()), 1010u);
}

TEST(ConvertedBytes, AreNoLessThanWhatComesOut) {
  const TemporaryFolder folder;
  const std::string plain(200'000, 'x');
  const std::string tar = folder.write("a.tar", plain);
  EXPECT_EQ(converted_bytes(tar, codec::Codec::none), plain.size());
  EXPECT_EQ(converted_bytes(tar, codec::Codec::zstd), plain.size());
  shardmill::testing::command_output("gzip -k " + tar);
  EXPECT_EQ(converted_bytes(tar + ".gz", codec::Codec::none), plain.size());
  EXPECT_EQ(converted_bytes(tar + ".gz", codec::Codec::xz), plain.size() / 2);
  EXPECT_EQ(converted_bytes(folder.file("none"), codec::Codec::zstd), 0u);
}

}  // namespace
}  // namespace shardmill::repack
