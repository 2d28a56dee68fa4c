#include "shardmill/remote.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "shardmill/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill {
namespace {

TEST(Addresses, AreToldFromPaths) {
  for (const char* address : {"s3://b", "s3://b/a.tar", "http://h/a.tar", "https://h/a.tar?x=1"})
    EXPECT_TRUE(is_address(address)) << address;
  for (const char* path : {"", "a.tar", "/s3://b", "s3:/b", "ftp://h/a.tar", "dataset:s3://b"})
    EXPECT_FALSE(is_address(path)) << path;
}

TEST(Addresses, AreKnownWithoutTheirSecrets) {
  EXPECT_EQ(known_address("https://me:word@h/a.tar?sum=secret"), "https://h/a.tar");
  EXPECT_EQ(known_address("s3://b/a.tar"), "s3://b/a.tar");
}

TEST(RemoteFile, NeedsAHost) {
  EXPECT_THROW(RemoteFile("http://127.0.0.1:1x/a.tar"), Error);
}

}  // namespace
}  // namespace shardmill
