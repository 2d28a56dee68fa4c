#include "dataset/summed_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

TEST(SummedFileTest, TheChecksumIsThatOfWhatIsInIt) {
  const testing::TemporaryFolder folder;
  SummedFile file(folder.path().string(), "inner/deep/list.txt");
  for (const char* part : {"one\n", "", "two\n"}) file.write(part);
  const manifest::Checksum checksum = file.commit();
  EXPECT_EQ(checksum.path, "inner/deep/list.txt");
  const std::string content = base::read_text(folder.file("inner/deep/list.txt"));
  EXPECT_EQ(content, "one\ntwo\n");
  EXPECT_EQ(checksum.sha256, base::sha256_hex(base::as_bytes(content)));
}

TEST(SummedFileTest, NothingWrittenIsAnEmptyFile) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(SummedFile(folder.path().string(), "empty").commit().sha256, base::sha256_hex({}));
  EXPECT_EQ(std::filesystem::file_size(folder.file("empty")), 0U);
}

TEST(SummedFileTest, HasItsNameOnlyWhenItIsWhole) {
  const testing::TemporaryFolder folder;
  {
    SummedFile file(folder.path().string(), "list.txt");
    file.write("half");
    EXPECT_FALSE(std::filesystem::exists(folder.file("list.txt")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "what is given up leaves nothing";
}

TEST(SummedFileTest, AFileInTheWayOfItsFolderIsAnError) {
  const testing::TemporaryFolder folder;
  folder.write("inner", "a file");
  EXPECT_THROW(SummedFile(folder.path().string(), "inner/list.txt"), Error);
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
