#include "repair/unsummed_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/made_dataset.hpp"

namespace shardmill::repair {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(UnsummedFiles, AreBadWhereTheyAreLostOrDoNotFit) {
  testing::MadeDataset made;
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), IsEmpty());
  made.write("data.list", "/elsewhere/shards/audio_000000000.tar\n");
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), ElementsAre("data.list"));
  std::filesystem::remove(made.path("data.list"));
  std::filesystem::remove(made.path("run.json"));
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), ElementsAre("data.list", "run.json"));
}

TEST(UnsummedFiles, OthersAreNotLookedAt) {
  testing::MadeDataset made;
  std::filesystem::remove(made.path("shards/audio_000000000.tar"));
  made.flip("manifests/manifest_000000000.json", 9);
  EXPECT_THAT(bad_unsummed_files(made.folder(), made.reporter()), IsEmpty());
}

}  // namespace
}  // namespace shardmill::repair
