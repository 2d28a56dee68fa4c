#include "source/names/archive_path.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace shardmill::source {
namespace {

TEST(ArchivePath, IsPlain) {
  EXPECT_EQ(plain_path("./a//b/./c.wav"), "a/b/c.wav");
  EXPECT_EQ(plain_path("a/../b"), "a/../b");
  EXPECT_EQ(plain_path(""), "");
}

TEST(ArchivePath, MayLeadOut) {
  for (const std::string_view name : {"/a", "..", "../a", "a/..", "a/../../b"})
    EXPECT_TRUE(leads_out(name)) << name;
  for (const std::string_view name : {"a", "a..b", "..a", "a/b.."}) EXPECT_FALSE(leads_out(name)) << name;
}

TEST(ArchivePath, IsHiddenAsInAFolder) {
  for (const std::string_view name : {"._x.wav", "a/._x.wav", "__MACOSX/a/._x.wav", ".git/x.wav"})
    EXPECT_TRUE(is_hidden(name)) << name;
  // That these lead out must still be told.
  for (const std::string_view name : {"x.wav", "./x.wav", "../x.wav", "a/../x.wav", "a.b/c"})
    EXPECT_FALSE(is_hidden(name)) << name;
}

}  // namespace
}  // namespace shardmill::source
