#include "archive/tar_types.hpp"

#include <gtest/gtest.h>

namespace shardmill::archive {
namespace {

TEST(TarTypesTest, MembersThatAreNoFiles) {
  TarHeader header;
  header.link_target = "x";
  struct Expected {
    char type;
    ShardProblem problem;
    const char* text;
    bool has_data;
  };
  for (const Expected& expected : {Expected{'1', ShardProblem::link, "a hard link to 'x'", false},
                                   Expected{'2', ShardProblem::link, "a symbolic link to 'x'", false},
                                   Expected{'3', ShardProblem::special_file, "a device", false},
                                   Expected{'5', ShardProblem::directory, "a directory", false},
                                   Expected{'D', ShardProblem::directory, "a directory", true},
                                   Expected{'S', ShardProblem::sparse_file, "a sparse file", true},
                                   Expected{'V', ShardProblem::special_file, "a member of type 'V'", true}}) {
    header.type = expected.type;
    const NoFile found = no_file(header);
    EXPECT_EQ(found.problem, expected.problem) << expected.type;
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.has_data, expected.has_data) << expected.type;
  }
}

TEST(TarTypesTest, NamesThatReadersStumbleOver) {
  for (const char* odd : {"", "/etc/x", "..", "../x", "a/..", "a/../b", "a\nb", "a\x7f"})
    EXPECT_TRUE(is_odd_name(odd)) << odd;
  for (const char* name : {"a", "a/b.wav", "...", "a..b", "..a/b", "\xe4\xbd\xa0"})
    EXPECT_FALSE(is_odd_name(name)) << name;
}

}  // namespace
}  // namespace shardmill::archive
