#include "source/tree_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::command_output;
using ::testing::HasSubstr;

TEST(TreeTextTest, PlainAndPackedFilesGiveTheSame) {
  const shardmill::testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string path = folder.write("a.tsv", text);
  EXPECT_EQ(text_content(path), text);
  for (const char* program : {"gzip", "bzip2", "xz -1", "zstd -q"}) {
    const std::string packed = command_output(std::string(program) + " -c " + path);
    // Its first bytes tell what it is, not its name.
    EXPECT_EQ(text_content(folder.write("packed", packed)), text) << program;
    EXPECT_EQ(text_content(std::string(packed), "x.tar!packed"), text) << program;
  }
  EXPECT_EQ(text_content(folder.write("empty", "")), "");
  EXPECT_EQ(text_content(std::string(), "x.tar!empty"), "");
}

TEST(TreeTextTest, DamageSaysWhere) {
  const shardmill::testing::TemporaryFolder folder;
  const std::string packed = command_output("seq 10000 | gzip -c");
  const std::string cut = packed.substr(0, packed.size() / 2);
  const auto problem = [](const auto& read) {
    try {
      read();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no problem");
  };
  EXPECT_THAT(problem([&] { text_content(std::string(cut), "x.tar!a.tsv.gz"); }),
              HasSubstr("x.tar!a.tsv.gz: offset "));
  EXPECT_THAT(problem([&] { text_content(folder.write("cut.gz", cut)); }), HasSubstr("cut.gz: offset "));
  EXPECT_THAT(problem([&] { text_content(folder.file("none")); }), HasSubstr("none: "));
}

}  // namespace
}  // namespace shardmill::source
