#include "cli/commands/codec_options.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

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

}  // namespace
}  // namespace shardmill::cli
