#include "dataset/join_files.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/hash/hash.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

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
