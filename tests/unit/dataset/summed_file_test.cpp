#include "dataset/summed_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "support/silent_reporter.hpp"
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

std::string sha256_of(const std::string& text) {
  return base::sha256_hex(base::as_bytes(text));
}

TEST(JoinFiles, AllInOrderWithTheHashOfEach) {
  const testing::TemporaryFolder folder;
  constexpr std::size_t kStep = 1 << 20;
  std::vector<std::string> paths;
  std::vector<std::string> texts;
  for (const std::size_t bytes : {std::size_t{5}, kStep, std::size_t{0}, 3 * kStep + 17, 2 * kStep - 1}) {
    std::string text;
    while (text.size() < bytes) text += std::to_string(text.size() * (paths.size() + 3));
    text.resize(bytes);
    texts.push_back(text);
    paths.push_back((folder.path() / std::to_string(paths.size())).string());
    base::File file = base::File::create(paths.back());
    file.write(base::as_bytes(text));
    file.close();
  }
  paths.insert(paths.begin() + 1, (folder.path() / "not there").string());
  texts.insert(texts.begin() + 1, "");

  std::string whole;
  for (const std::string& text : texts) whole += text;
  for (const unsigned threads : {1U, 3U}) {
    const std::string path = (folder.path() / "all").string();
    pipeline::Workers workers(threads, 1 << 20);
    testing::SilentReporter reporter;
    base::AtomicFile all(path);
    const JoinedFiles joined = join_files(paths, all, workers, reporter);
    all.commit();
    EXPECT_EQ(base::read_text(path), whole);
    EXPECT_EQ(joined.sha256_of_all, sha256_of(whole));
    ASSERT_EQ(joined.sha256.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(joined.sha256[i], sha256_of(texts[i])) << i;
  }
}

}  // namespace
}  // namespace shardmill::dataset
