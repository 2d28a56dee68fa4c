#include "pipeline/intake/member_storage.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::uint64_t kOneMiB = 1 << 20;

TEST(MemberStorageTest, AShareOfTheMemoryWithinBounds) {
  EXPECT_EQ(member_storage(0).in_memory_bytes, kOneMiB);
  EXPECT_EQ(member_storage(64 * kOneMiB).in_memory_bytes, kOneMiB);
  EXPECT_EQ(member_storage(64 * 3 * kOneMiB).in_memory_bytes, 3 * kOneMiB);
  EXPECT_EQ(member_storage(UINT64_MAX).in_memory_bytes, 8 * kOneMiB);
}

/// Sets TMPDIR for one test.
class MemberStorageFolder : public ::testing::Test {
 protected:
  MemberStorageFolder() {
    if (const char* old = std::getenv("TMPDIR")) before_ = old;
  }
  ~MemberStorageFolder() override {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  testing::TemporaryFolder folder_;

 private:
  std::optional<std::string> before_;
};

TEST_F(MemberStorageFolder, FilesHaveNoNamesSoNothingIsLeft) {
  ::setenv("TMPDIR", folder_.path().c_str(), 1);
  const auto storage = member_storage(64 * kOneMiB);
  base::File file = storage.file(100);
  file.write_at(base::as_bytes(std::string_view("member")), 0);
  EXPECT_EQ(file.size(), 6U);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(MemberStorageFolder, WithoutAFolderTheRunEndsAndSaysWhatHelps) {
  ::setenv("TMPDIR", folder_.file("missing").c_str(), 1);
  const auto storage = member_storage(64 * kOneMiB);
  try {
    storage.file(100);
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos);
  }
}

TEST_F(MemberStorageFolder, MoreThanTheDiskHoldsEndsTheRunToo) {
  ::setenv("TMPDIR", folder_.path().c_str(), 1);
  EXPECT_THROW(member_storage(64 * kOneMiB).file(UINT64_MAX / 2), FatalError);
}

}  // namespace
}  // namespace shardmill::pipeline
