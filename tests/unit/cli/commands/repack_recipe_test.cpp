#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cli/commands/repack.hpp"

namespace shardmill::cli {
namespace {

dataset::Recipe recipe(const std::vector<std::string>& arguments) {
  CommandLine line(CommandText{.name = "repack", .summary = "", .operands = "", .about = "", .example = ""});
  add_sizing_options(line);
  add_recipe_options(line);
  line.parse(arguments);
  return recipe_of(line);
}

TEST(RepackRecipe, WithoutOptionsItIsTheDefault) {
  dataset::Recipe usual;
  usual.interleave = 16;
  usual.intake.missing_text = source::MissingText::unless_all;  // what people are to be told of
  EXPECT_EQ(dataset::text_of(recipe({})), dataset::text_of(usual));
}

// Every field of a recipe that has an option is set by it, from what the recipe itself writes down.
TEST(RepackRecipe, WhatARecipeWritesTheOptionsRead) {
  const dataset::Recipe wanted = recipe({"--shards",   "48",
                                         "--codec",    "zstd",
                                         "--level",    "7",
                                         "--seekable", "--prefix",
                                         "p",          "--seed",
                                         "3",          "--weight",
                                         "a=2",        "--weight",
                                         "b=0.5",      "--min-duration",
                                         "100ms",      "--max-duration",
                                         "30",         "--interleave",
                                         "4",          "--on-error",
                                         "skip",       "--audio",
                                         "flac",       "--sample-rate",
                                         "8000",       "--index",
                                         "wids,dali"});
  EXPECT_EQ(wanted.sizing.amount, 48u);
  EXPECT_EQ(wanted.codec, codec::Codec::zstd);
  EXPECT_EQ(wanted.level, 7);
  EXPECT_TRUE(wanted.seekable);
  EXPECT_EQ(wanted.prefix, "p");
  EXPECT_EQ(wanted.interleave, 4u);
  EXPECT_EQ(wanted.seed, 3u);
  EXPECT_EQ(wanted.weights.at("b"), 0.5);
  EXPECT_EQ(wanted.intake.filters.min_seconds, 0.1);
  EXPECT_EQ(wanted.intake.filters.max_seconds, 30);
  EXPECT_EQ(wanted.intake.on_error, pipeline::OnError::skip);
  EXPECT_EQ(wanted.intake.form.container, audio::WantedForm::Container::flac);
  EXPECT_EQ(wanted.intake.form.sample_rate, 8000u);
  EXPECT_EQ(wanted.indexes.size(), 2u);
}

TEST(RepackRecipe, AValueThatMakesNoSenseIsNamedWithItsOption) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"shards", "0"},          {"seed", "-1"},       {"weight", "a"},     {"weight", "a=-1"},
      {"min-duration", "soon"}, {"on-error", "cry"},  {"index", "nobody"}, {"codec", "bzip2"},
      {"audio", "mp3"},         {"key-rule", "kaldi"}};
  for (const auto& [option, value] : wrong) {
    try {
      recipe({"--" + option, value});
      ADD_FAILURE() << option << " " << value;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(option), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace shardmill::cli
