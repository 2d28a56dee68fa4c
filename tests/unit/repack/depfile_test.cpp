#include "repack/depfile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FilesBehind, AudioTextsListsAndTheFoldersThatWereSearched) {
  const TemporaryFolder folder;
  const std::string list = folder.write("shards.list", "x");
  source::SourceSet sources;
  source::SourceDataset dataset{.name = "d", .files = {}, .descriptions = {}};
  dataset.files = {{.path = "/data/b/2.wav"},
                   {.path = "/data/b/deep/1.wav"},
                   {.path = "/data/b/2.wav"},
                   {.path = "/elsewhere/3.wav"}};
  dataset.files.push_back({.path = "sox - |", .kind = source::SourceKind::command});
  dataset.descriptions = {{.path = "/data/wav.scp"}};
  sources.datasets = {dataset};
  sources.folders = {"/data/b"};
  sources.given = {{.dataset = "d", .path = list},
                   {.dataset = "d", .path = "/data/pattern_*.tar"},
                   {.dataset = "d", .path = "/none"}};
  EXPECT_THAT(files_of_sources(sources),
              ElementsAre("/data", "/data/b", "/data/b/2.wav", "/data/b/deep", "/data/b/deep/1.wav",
                          "/data/wav.scp", "/elsewhere/3.wav", list));
  EXPECT_THAT(files_of_sources({}), IsEmpty());
}

class DepfileTest : public ::testing::Test {
 protected:
  std::string problem(const std::string& path) {
    try {
      check_depfile(path, rules_,
                    {.folder = folder_.file("out"), .names = {"dataset.json", "lists/rank_0.list"}});
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }

  TemporaryFolder folder_;
  const std::string source_ = folder_.write("in/a.tar", "a shard");
  std::vector<MakeRule> rules_{{.target = folder_.file("out/dataset.json"), .prerequisites = {source_}}};
};

TEST_F(DepfileTest, IsWrittenAndMayBeWrittenAgain) {
  const std::string path = folder_.file("deps/out.d");
  EXPECT_EQ(problem(path), "no problem");
  write_depfile(path, make_rules(rules_));
  EXPECT_THAT(base::read_text(path),
              ::testing::StartsWith("# Written by shardmill\n" + rules_[0].target + ":"));
  EXPECT_EQ(problem(path), "no problem");
  write_depfile(path, "shorter:\n");
  EXPECT_EQ(base::read_text(path), "# Written by shardmill\nshorter:\n");
  EXPECT_EQ(problem(""), "no problem");
}

TEST_F(DepfileTest, NothingOfAnybodyElseIsReplaced) {
  EXPECT_THAT(problem(folder_.write("notes.txt", "my notes\n")),
              HasSubstr("notes.txt: is there already, and was not written as a list of dependencies"));
  EXPECT_THAT(problem(folder_.write("Makefile", "all:\n\techo hello\n")), HasSubstr("is there already"));
  EXPECT_THAT(problem(folder_.write("empty", "")), HasSubstr("is there already"));
  EXPECT_THAT(problem(source_), HasSubstr("a.tar: is a source, and is not replaced"));
  std::filesystem::create_hard_link(source_, folder_.file("other name"));
  EXPECT_THAT(problem(folder_.file("other name")), HasSubstr("is a source, and is not replaced"));
  EXPECT_THAT(problem(folder_.file("in")), HasSubstr("is a folder"));
  EXPECT_THAT(problem(folder_.file("in/")), HasSubstr("is the name of a folder"));
}

TEST_F(DepfileTest, WhatTheRunWritesItselfIsNoPlaceForIt) {
  for (const char* inner : {"out", "out/dataset.json", "out/shards/x", "out/manifests", "out/.shardmill/x",
                            "out/lists/rank_0.list", "out/../out/dataset.json"})
    EXPECT_NE(problem(folder_.file(inner)), "no problem") << inner;
  EXPECT_EQ(problem(folder_.file("out/deps.d")), "no problem");
  EXPECT_EQ(problem(folder_.file("outside.d")), "no problem");
}

}  // namespace
}  // namespace shardmill::repack
