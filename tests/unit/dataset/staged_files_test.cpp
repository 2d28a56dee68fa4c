#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "dataset/publish.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

namespace fs = std::filesystem;

class StagedFilesTest : public ::testing::Test {
 protected:
  manifest::Checksum stage(const StagedFiles& staged, const std::string& name,
                           std::string_view content) const {
    fs::create_directories(fs::path(staged.path() + "/" + name).parent_path());
    std::ofstream(staged.path() + "/" + name) << content;
    return {.sha256 = base::sha256_hex(base::as_bytes(content)), .path = name};
  }
  std::string content(const std::string& name) const { return base::read_text(folder_.file(name)); }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path().string();
};

TEST_F(StagedFilesTest, AllGetTheirNames) {
  StagedFiles staged(path_);
  folder_.write("b", "old");
  const std::vector files{stage(staged, "a", "A"), stage(staged, "b", "B"), stage(staged, "in/c", "C")};
  staged.publish(files, {"b"});
  EXPECT_EQ(content("a") + content("b") + content("in/c"), "ABC");
}

TEST_F(StagedFilesTest, NoneGetsItsNameWhereOneIsTaken) {
  StagedFiles staged(path_);
  folder_.write("b", "somebody's");
  const std::vector files{stage(staged, "a", "A"), stage(staged, "b", "B")};
  EXPECT_THROW(staged.publish(files, {}), Error);
  EXPECT_FALSE(fs::exists(folder_.file("a")));
  EXPECT_EQ(content("b"), "somebody's");
}

TEST_F(StagedFilesTest, AFileThatIsJustTheSameIsNotInTheWay) {
  StagedFiles staged(path_);
  folder_.write("a", "A");
  EXPECT_NO_THROW(staged.publish({stage(staged, "a", "A")}, {}));
}

TEST_F(StagedFilesTest, WhatAnEarlierRunLeftIsRemovedAndNothingIsLeft) {
  folder_.write(".shardmill/staged_indexes/old", "left");
  {
    const StagedFiles staged(path_);
    EXPECT_FALSE(fs::exists(staged.path() + "/old"));
    stage(staged, "a", "A");
  }
  EXPECT_FALSE(fs::exists(folder_.file(".shardmill/staged_indexes")));
  EXPECT_FALSE(fs::exists(folder_.file("a")));
}

}  // namespace
}  // namespace shardmill::dataset
