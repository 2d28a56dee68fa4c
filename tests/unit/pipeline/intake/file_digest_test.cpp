#include "pipeline/intake/file_digest.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/hash/md5.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

std::string md5(std::string_view text) {
  base::Md5 hash;
  hash.update(base::as_bytes(text));
  return hash.finish();
}

TEST(FileDigestTest, HoweverTheReaderComesForward) {
  const shardmill::testing::TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 1U << 20, 5'000'001U}) {
    const std::string content(size, 'x');
    const std::string path = folder.write("file", content);
    {
      FileDigest digest(base::File::open_read(path));
      EXPECT_EQ(digest.finish(), md5(content)) << size;
    }
    FileDigest digest(base::File::open_read(path));
    for (std::size_t offset = 0; offset < size; offset += 700'000) digest.advance(offset);
    digest.advance(size / 2);  // Never back.
    EXPECT_EQ(digest.finish(), md5(content)) << size;
  }
}

TEST(FileDigestTest, NobodyHasToWaitForIt) {
  const shardmill::testing::TemporaryFolder folder;
  FileDigest digest(base::File::open_read(folder.write("file", std::string(3'000'000, 'x'))));
  digest.advance(1'000'000);
}

TEST(FileDigestTest, AFileThatBecomesShorterHasNone) {
  const shardmill::testing::TemporaryFolder folder;
  const std::string path = folder.write("file", std::string(3'000'000, 'x'));
  FileDigest digest(base::File::open_read(path));
  std::filesystem::resize_file(path, 2'500'000);
  EXPECT_THROW(digest.finish(), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
