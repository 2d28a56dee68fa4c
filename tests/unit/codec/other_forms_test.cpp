#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/codec.hpp"
#include "codec/codec_files.hpp"
#include "codec/formats.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

std::string problem_of(const std::string& content) {
  const shardmill::testing::TemporaryFolder folder;
  base::File file = base::File::open_read(folder.write("file", content));
  try {
    open(file);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(OtherForms, AreNamedWithAProgramThatReadsThem) {
  const std::string tar = archive::make_tar({{"a.txt", "words"}});
  EXPECT_THAT(problem_of(testing::through("lz4 -lc", tar)), HasSubstr("legacy form of lz4 -l"));
  EXPECT_THAT(problem_of(testing::through("xz --format=lzma -c", tar)), HasSubstr("unpack it with xz -dc"));
  EXPECT_THAT(problem_of(testing::through("xz --format=lzma -1 -c", tar)), HasSubstr("lzma"));
  EXPECT_THAT(problem_of("LZIP\x01\x0c" + std::string(20, 'x')), HasSubstr("lzip"));
  EXPECT_THAT(problem_of("\x1f\x9d\x90" + std::string(20, 'x')), HasSubstr("gzip -dc"));
  EXPECT_THAT(problem_of("\x89LZO\0\r\n\x1a\n"s + std::string(20, 'x')), HasSubstr("lzop"));
}

TEST(OtherForms, ATarIsNoneOfThem) {
  for (const std::string name : {"LZIP", "LZIP1", "]", "]]]", "a"})
    EXPECT_EQ(problem_of(archive::make_tar({{name, "words"}})), "") << name;
  EXPECT_EQ(problem_of("]"), "");
}

}  // namespace
}  // namespace shardmill::codec
