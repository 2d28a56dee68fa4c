#include "dataset/indexes/index_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

TEST(IndexFile, HasItsNameAndChecksumWhenItIsWhole) {
  const testing::TemporaryFolder folder;
  IndexFile file(folder.path().string(), "inner/list.txt");
  file.write("ab");
  file.write("c");
  EXPECT_FALSE(std::filesystem::exists(folder.file("inner/list.txt")));
  const manifest::Checksum checksum = file.commit();
  EXPECT_EQ(checksum.path, "inner/list.txt");
  EXPECT_EQ(checksum.sha256, base::sha256_hex(base::as_bytes("abc")));
  EXPECT_EQ(base::read_text(folder.file("inner/list.txt")), "abc");
}

TEST(GrowingList, IsJsonWithAnEntryALine) {
  const testing::TemporaryFolder folder;
  GrowingList list(folder.path().string(), "list.json", "[]");
  list.add("1");
  list.add("2");
  EXPECT_EQ(list.entries(), 2u);
  list.commit();
  EXPECT_EQ(base::read_text(folder.file("list.json")), "[\n1,\n2\n]\n");
}

}  // namespace
}  // namespace shardmill::dataset
