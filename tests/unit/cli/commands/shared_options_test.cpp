#include "cli/commands/shared_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {
namespace {

CodecChoice choice(const std::vector<std::string>& arguments) {
  CommandLine line(CommandText{.name = "x", .summary = "", .operands = "", .about = "", .example = ""});
  add_codec_options(line);
  line.parse(arguments);
  return codec_choice(line);
}

TEST(CodecOptions, EveryLevelInRangeIsTakenAndNoOther) {
  EXPECT_EQ(choice({}).codec, codec::Codec::none);
  for (const codec::Codec codec : {codec::Codec::zstd, codec::Codec::lz4, codec::Codec::gzip}) {
    const codec::LevelRange range = *codec::levels(codec);
    for (int level = range.lowest - 2; level <= range.highest + 2; ++level) {
      const std::vector<std::string> arguments{"--codec=" + std::string(name(codec)),
                                               "--level=" + std::to_string(level)};
      if (level < range.lowest || level > range.highest) {
        EXPECT_THROW(choice(arguments), UsageError) << name(codec) << " " << level;
      } else {
        EXPECT_EQ(choice(arguments).level, level) << name(codec);
      }
    }
  }
}

TEST(CodecOptions, WhatDoesNotFitTogetherIsRefused) {
  EXPECT_TRUE(choice({"--codec", "zstd", "--seekable"}).seekable);
  EXPECT_THROW(choice({"--seekable"}), UsageError);
  EXPECT_THROW(choice({"--codec", "lz4", "--seekable"}), UsageError);
  EXPECT_THROW(choice({"--level", "1"}), UsageError);  // none has no levels
  for (const char* unwritten : {"bzip2", "xz", "rar"})
    EXPECT_THROW(choice({"--codec", unwritten}), UsageError);
}

TEST(IndexOption, EveryWordOfTheHelpIsTaken) {
  const std::string words = index_words();
  std::string list = words.substr(0, words.find("[,...]"));
  std::replace(list.begin(), list.end(), '|', ',');
  EXPECT_EQ(index_kinds(list).size(), dataset::all_forms().size());
  EXPECT_TRUE(index_kinds("none").empty());
}

TEST(IndexOption, AnUnknownWordIsNamed) {
  try {
    index_kinds("wids,x\n");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.problem(), "--index wids,x\\x0a is unknown");
  }
}

CommandLine parsed(const std::vector<std::string>& arguments) {
  CommandLine line(CommandText{.name = "x", .summary = "", .operands = "", .about = "", .example = ""});
  add_key_rule_option(line, "G");
  add_ignore_trailing_option(line, "G");
  add_allow_commands_option(line, "G");
  line.parse(arguments);
  return line;
}

TEST(SourceOptions, AreOffUnlessGiven) {
  const CommandLine none = parsed({});
  EXPECT_EQ(key_rule_choice(none), shard::KeyRule::wenet);
  EXPECT_FALSE(ignores_trailing(none));
  EXPECT_FALSE(allows_commands(none));
  const CommandLine all = parsed({"--key-rule", "webdataset", "--ignore-trailing", "--allow-commands"});
  EXPECT_EQ(key_rule_choice(all), shard::KeyRule::webdataset);
  EXPECT_TRUE(ignores_trailing(all));
  EXPECT_TRUE(allows_commands(all));
}

TEST(SourceOptions, ARuleThatIsNoneIsRefused) {
  EXPECT_THROW(key_rule_choice(parsed({"--key-rule", "kaldi"})), UsageError);
}

TEST(MaxRejects, IsANumberOrAll) {
  EXPECT_EQ(parse_max_rejects("0"), 0U);
  EXPECT_EQ(parse_max_rejects("10"), 10U);
  EXPECT_EQ(parse_max_rejects("999999999999999999"), 999'999'999'999'999'999U);
  EXPECT_EQ(parse_max_rejects("all"), repack::kAnyNumber);
}

TEST(MaxRejects, AnythingElseIsWrongUsage) {
  for (const char* wrong :
       {"", "-1", "+1", "1.5", "1e3", "ten", "All", " 3", "3 ", "0x10", "10000000000000000000"})
    EXPECT_THROW(parse_max_rejects(wrong), UsageError) << wrong;
}

TEST(MaxRejects, TheMessageCannotBreakTheTerminal) {
  try {
    parse_max_rejects("\x1b[2J");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
  }
}

TEST(MemoryBoundOption, IsGivenOnlyWhereTheUserGaveIt) {
  CommonOptions common;
  common.is_memory_given = false;
  EXPECT_EQ(memory_bound(common), pipeline::MemoryBound::standard);
  common.is_memory_given = true;
  EXPECT_EQ(memory_bound(common), pipeline::MemoryBound::given);
}

/// Sets the variable for one test.
class CheckpointsOption : public ::testing::Test {
 protected:
  ~CheckpointsOption() override { ::unsetenv("SHARDMILL_CHECKPOINT_BYTES"); }
  static pipeline::CheckpointInterval checkpoints_with(const char* value) {
    ::setenv("SHARDMILL_CHECKPOINT_BYTES", value, 1);
    return checkpoints();
  }
};

TEST_F(CheckpointsOption, ComeAsOftenAsTheVariableSays) {
  ::unsetenv("SHARDMILL_CHECKPOINT_BYTES");
  EXPECT_EQ(checkpoints().input_bytes, pipeline::CheckpointInterval().input_bytes);
  EXPECT_EQ(checkpoints_with("1").input_bytes, 1U);
  EXPECT_EQ(checkpoints_with("4k").input_bytes, 4000U);
}

TEST_F(CheckpointsOption, NonsenseIsWrongUsage) {
  EXPECT_THROW(checkpoints_with("0"), UsageError);
  EXPECT_THROW(checkpoints_with("often"), UsageError);
  EXPECT_THROW(checkpoints_with(""), UsageError);
}

}  // namespace

}  // namespace shardmill::cli
