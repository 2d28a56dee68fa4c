#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using ::testing::HasSubstr;

std::string read_all(File& file) {
  std::vector<std::byte> bytes(100);
  const std::size_t got = file.read(bytes);
  return {reinterpret_cast<const char*>(bytes.data()), got};
}

TEST(MemoryFile, ReadsLikeAnyFile) {
  File file = memory_file(as_bytes("some bytes"), "a.tar!b.txt");
  EXPECT_TRUE(file.is_regular());
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(file.path(), "a.tar!b.txt");
  EXPECT_EQ(read_all(file), "some bytes");
  EXPECT_EQ(read_all(file), "");
  file.seek(5);
  EXPECT_EQ(read_all(file), "bytes");
  std::vector<std::byte> part(4);
  EXPECT_EQ(file.read_at(part, 8), 2u);
}

TEST(MemoryFile, MayBeEmptyOrLarge) {
  File empty = memory_file({}, "empty");
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_EQ(read_all(empty), "");
  const std::string large(10'000'000, 'x');
  EXPECT_EQ(memory_file(as_bytes(large), "large").size(), large.size());
}

TEST(ScratchFile, HasNoNameAndCanBeWrittenAnywhere) {
  const shardmill::testing::TemporaryFolder folder;
  {
    File file = scratch_file(folder.path().string());
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    file.write_at(as_bytes("later"), 1'000'000);
    file.write_at(as_bytes("first"), 0);
    EXPECT_EQ(file.size(), 1'000'005u);
    std::vector<std::byte> bytes(5);
    EXPECT_EQ(file.read_at(bytes, 1'000'000), 5u);
    EXPECT_TRUE(std::ranges::equal(bytes, as_bytes("later")));
    EXPECT_THAT(file.path(), HasSubstr(folder.path().string()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ScratchFile, WithoutAFolderIsAnErrorThatNamesIt) {
  const shardmill::testing::TemporaryFolder folder;
  try {
    scratch_file(folder.file("none"));
    ADD_FAILURE() << "there is no such folder";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr(folder.file("none") + ": cannot create a scratch file in"));
  }
}

}  // namespace
}  // namespace shardmill::base
