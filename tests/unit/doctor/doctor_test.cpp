#include "doctor/doctor.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/system/vector_path.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::doctor {
namespace {

TEST(Doctor, SaysWhatItFindsAndLeavesTheFolderAsItWas) {
  const testing::TemporaryFolder folder;
  testing::SilentReporter reporter;
  pipeline::Workers workers(1, std::uint64_t{256} << 20);
  const DoctorSummary summary =
      run_doctor({.folder = folder.path().string(), .libraries = {}}, workers, reporter);
  EXPECT_EQ(summary.check.problem, "");
  EXPECT_EQ(summary.vector_path, name(base::chosen_vector_path()));
  EXPECT_EQ(summary.vector_paths.back(), "portable");
  EXPECT_EQ(summary.threads, 1u);
  EXPECT_FALSE(summary.decoding.empty());
  for (const auto& speed : summary.decoding) EXPECT_GT(speed.bytes_per_second, 1e5);
  EXPECT_EQ(summary.versions.front().first, "shardmill");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Doctor, AMissingFolderIsAnError) {
  testing::SilentReporter reporter;
  pipeline::Workers workers(1, std::uint64_t{256} << 20);
  EXPECT_THROW(run_doctor({.folder = "/nowhere/at/all", .libraries = {}}, workers, reporter), Error);
}

}  // namespace
}  // namespace shardmill::doctor
