#include "source/estimate.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "source/source_set.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

namespace fs = std::filesystem;
using shardmill::testing::TemporaryFolder;

TEST(Estimate, AddsUpFilesOfSeveralCodecs) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("d"));
  shardmill::testing::command_output("cd " + folder.file("d") +
                                     " && seq 99999 | head -c 300000 > a.tar && "
                                     "gzip -k a.tar && zstd -q a.tar");
  const SourceSet set = find_sources({folder.file("d")}, {});
  ASSERT_EQ(set.datasets[0].files.size(), 3u);
  EXPECT_NEAR(static_cast<double>(estimate_tar_bytes(set.datasets[0].files)), 900'000, 2);
}

TEST(Estimate, ManyFilesAreSampled) {
  const TemporaryFolder folder;
  for (int i = 0; i < 200; ++i) folder.write("d/" + std::to_string(i) + ".tar", std::string(1000, 'x'));
  const SourceSet set = find_sources({folder.file("d")}, {});
  EXPECT_NEAR(static_cast<double>(estimate_tar_bytes(set.datasets[0].files)), 200'000, 1);
}

TEST(Estimate, NothingIsNothingAndAMissingFileIsAnError) {
  EXPECT_EQ(estimate_tar_bytes({}), 0u);
  EXPECT_THROW(estimate_tar_bytes({{.path = "/nowhere.tar", .bytes = 1}}), Error);
}

}  // namespace
}  // namespace shardmill::source
