#include "base/hash/md5.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

std::string md5(std::string_view text, std::size_t step = SIZE_MAX) {
  Md5 hash;
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size())))
    hash.update(as_bytes(text.substr(0, step)));
  return hash.finish();
}

TEST(Md5Test, TheTestSuiteOfRfc1321) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5Test, PartsMakeNoDifferenceAroundTheEdgesOfBlocks) {
  for (std::size_t size = 50; size < 140; ++size) {
    const std::string text(size, 'x');
    const std::string whole = md5(text);
    for (const std::size_t step : {1U, 3U, 55U, 56U, 63U, 64U, 65U})
      EXPECT_EQ(md5(text, step), whole) << size << ", " << step;
  }
}

TEST(Md5Test, IsThatOfMd5sum) {
  const shardmill::testing::TemporaryFolder folder;
  std::string data;
  for (unsigned i = 0; i < 3'000'000; ++i) data += static_cast<char>(i * i >> 7);
  EXPECT_EQ(md5(data, 1 << 16) + "  -\n",
            shardmill::testing::command_output("md5sum < " + folder.write("data", data)));
}

}  // namespace
}  // namespace shardmill::base
