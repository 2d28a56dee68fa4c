#include "source/source_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

namespace fs = std::filesystem;
using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<std::string> paths(const SourceDataset& dataset) {
  std::vector<std::string> all;
  for (const SourceFile& file : dataset.files) all.push_back(file.path);
  return all;
}

std::string problem_of(const std::vector<std::string>& arguments) {
  try {
    find_sources(arguments, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

class SourceSetTest : public ::testing::Test {
 protected:
  SourceSet find(const std::vector<std::string>& arguments) { return find_sources(arguments, {}); }

  TemporaryFolder folder_;
};

TEST_F(SourceSetTest, FoldersAreSearchedInTheOrderOfBytes) {
  for (const char* name : {"ls/b.tar", "ls/a.tar.bz2", "ls/B.tgz", "ls/sub/0.tar.zst", "ls/Sub/1.tar.gz"}) {
    folder_.write(name, "x");
  }
  for (const char* name :
       {"ls/a.tar.idx", "ls/x.txt", "ls/.hidden.tar", "ls/.git/x.tar", "ls/a.tar.bz2.md5"}) {
    folder_.write(name, "x");
  }
  const SourceSet set = find({folder_.file("ls")});
  ASSERT_EQ(set.datasets.size(), 1u);
  EXPECT_EQ(set.datasets[0].name, "ls");
  EXPECT_THAT(paths(set.datasets[0]),
              ElementsAre(EndsWith("ls/B.tgz"), EndsWith("ls/a.tar.bz2"), EndsWith("ls/b.tar"),
                          EndsWith("ls/Sub/1.tar.gz"), EndsWith("ls/sub/0.tar.zst")));
  EXPECT_EQ(set.given[0].files, 5u);
  EXPECT_EQ(set.given[0].bytes, 5u);
}

TEST_F(SourceSetTest, ShardsOfOneFolderAreOneDatasetCalledLikeTheFolder) {
  const SourceSet set = find({folder_.write("aishell2/b.tar", "x"), folder_.write("aishell2/a.tar", "xy")});
  ASSERT_EQ(set.datasets.size(), 1u);
  EXPECT_EQ(set.datasets[0].name, "aishell2");
  EXPECT_THAT(paths(set.datasets[0]), ElementsAre(EndsWith("b.tar"), EndsWith("a.tar")));
  EXPECT_EQ(set.datasets[0].files[1].bytes, 2u);
  EXPECT_GT(set.datasets[0].files[1].mtime_ns, 1'600'000'000'000'000'000);
  EXPECT_EQ(set.given.size(), 2u);
}

TEST_F(SourceSetTest, SourcesWithTheSameNameMakeOneDataset) {
  const std::string one = folder_.write("x/a.tar", "x");
  const std::string two = folder_.write("y/a.tar", "y");
  const std::string three = folder_.write("z/a.tar", "z");
  const SourceSet set = find({"n=" + one, "m=" + three, "n=" + two});
  ASSERT_EQ(set.datasets.size(), 2u);
  EXPECT_EQ(set.datasets[0].name, "n");
  EXPECT_THAT(paths(set.datasets[0]), ElementsAre(one, two));
  EXPECT_THAT(paths(set.datasets[1]), ElementsAre(three));
}

TEST_F(SourceSetTest, DifferentPlacesOfTheSameNameMustBeNamed) {
  folder_.write("x/shards/a.tar", "x");
  folder_.write("y/shards/a.tar", "y");
  EXPECT_THAT(problem_of({folder_.file("x/shards"), folder_.file("y/shards")}),
              HasSubstr("two different sources would both be called 'shards' (give them names"));
  EXPECT_THAT(problem_of({"shards=" + folder_.file("x/shards"), folder_.file("y/shards")}),
              HasSubstr("both be called 'shards'"));
}

TEST_F(SourceSetTest, ListsAreToldByTheirContentAndGiveTheirName) {
  folder_.write("d/a.tar", "x");
  folder_.write("d/b.tar", "x");
  const std::string list =
      folder_.write("train.list", "# two\nd/b.tar\r\n\n" + folder_.file("d/a.tar") + "\n");
  const SourceSet set = find({list});
  EXPECT_EQ(set.datasets[0].name, "train");
  EXPECT_THAT(paths(set.datasets[0]), ElementsAre(folder_.file("d/b.tar"), folder_.file("d/a.tar")));
}

TEST_F(SourceSetTest, PatternsAreSortedAndCalledLikeTheFolderBefore) {
  for (const char* name : {"d/x/b.tar", "d/x/a.tar", "d/y/c.tar", "d/[z].tar"}) folder_.write(name, "x");
  const SourceSet set = find({folder_.file("d/?/*.tar")});
  EXPECT_EQ(set.datasets[0].name, "d");
  EXPECT_THAT(paths(set.datasets[0]),
              ElementsAre(EndsWith("x/a.tar"), EndsWith("x/b.tar"), EndsWith("y/c.tar")));
  EXPECT_THAT(paths(find({folder_.file("d/[z].tar")}).datasets[0]), ElementsAre(EndsWith("d/[z].tar")));
  EXPECT_THAT(problem_of({folder_.file("d/*.zip")}), HasSubstr("the pattern matches nothing"));
}

TEST_F(SourceSetTest, ShardsAreToldByTheirContentWhateverTheirName) {
  const std::string text = folder_.write("text", "hello\n");
  const std::string base = folder_.path().string();
  shardmill::testing::command_output("cd " + base +
                                     " && tar cf plain text && bzip2 -k < plain > packed && "
                                     "head -c 10240 /dev/zero > zeros");
  for (const char* name : {"plain", "packed", "zeros"}) {
    EXPECT_THAT(paths(find({"n=" + folder_.file(name)}).datasets[0]), ElementsAre(folder_.file(name)));
  }
  EXPECT_THAT(problem_of({folder_.write("noise", std::string("\x01\x02\x00\x03", 4))}),
              HasSubstr("is neither a tar, plain or compressed, nor a list of paths"));
  EXPECT_THAT(problem_of({folder_.write("raw.list", "{\"key\":\"a\"}\n")}),
              HasSubstr("line 1: is JSON, not a path (lists of raw audio have"));
}

TEST_F(SourceSetTest, MissingEmptyAndOddSourcesAreClear) {
  EXPECT_THAT(problem_of({folder_.file("none")}),
              EndsWith("none: cannot find this source: No such file or directory"));
  EXPECT_THAT(problem_of({folder_.write("zero", "")}), HasSubstr("is empty: neither a shard nor a list"));
  EXPECT_THAT(problem_of({folder_.write("zero.tar", "")}), HasSubstr("zero.tar: is empty (0 bytes)"));
  EXPECT_THAT(problem_of({folder_.write("comments.list", "# nothing\n")}), HasSubstr("lists no paths"));
  fs::create_directory(folder_.file("empty"));
  EXPECT_THAT(problem_of({folder_.file("empty")}), HasSubstr("holds neither shards nor audio"));
  EXPECT_THAT(problem_of({"/dev/null"}), HasSubstr("is neither a file nor a folder"));
}

TEST_F(SourceSetTest, MissingFilesOfAListAreOneErrorThatNamesTheLine) {
  folder_.write("ok.tar", "x");
  const std::string list =
      folder_.write("l.list", "ok.tar\n\ngone.tar\ngone2.tar\n" + folder_.path().string() + "\n");
  EXPECT_EQ(problem_of({list}), "gone.tar: No such file or directory (named in " + list +
                                    ": line 3), and 1 more file cannot be read");
  const SourceSet set = find_sources({list}, {.on_unusable = OnUnusable::collect});
  EXPECT_THAT(paths(set.datasets[0]), ElementsAre(folder_.file("ok.tar")));
  ASSERT_EQ(set.unusable.size(), 3u);
  EXPECT_THAT(set.unusable[2].error.problem(), HasSubstr("is a folder, not a file (named in"));
  const std::string all_gone = folder_.write("g.list", "gone.tar\n");
  EXPECT_THROW(find_sources({all_gone}, {.on_unusable = OnUnusable::collect}), Error);
}

TEST_F(SourceSetTest, TheSameFileTwiceInADatasetIsAnErrorThatNamesBoth) {
  const std::string file = folder_.write("d/a.tar", "x");
  fs::create_symlink(file, folder_.file("d/b.tar"));
  EXPECT_EQ(problem_of({folder_.file("d")}),
            folder_.file("d/b.tar") + ": comes twice in dataset 'd', the other time as " + file);
  EXPECT_THAT(problem_of({file, file}), HasSubstr("comes twice"));
  EXPECT_EQ(problem_of({"x=" + file, "y=" + file}), "no problem");
}

TEST_F(SourceSetTest, ALinkThatLeadsBackUpIsAnError) {
  folder_.write("d/e/a.tar", "x");
  fs::create_directory_symlink(folder_.file("d"), folder_.file("d/e/up"));
  EXPECT_THAT(problem_of({folder_.file("d")}), HasSubstr("d/e/up: is a link that leads back up"));
}

TEST_F(SourceSetTest, TheDigestChangesWithNamesAndSizes) {
  const std::string a = folder_.write("d/a.tar", "x");
  const auto before = find({a}).digest();
  EXPECT_EQ(find({a}).digest(), before);
  EXPECT_NE(find({"n=" + a}).digest(), before);
  folder_.write("d/a.tar", "xy");
  EXPECT_NE(find({a}).digest(), before);
}

TEST_F(SourceSetTest, RawCorporaAreFoundByPrefixAndByShape) {
  folder_.write("k/wav.scp", "u1 a.wav\nu2 b.wav\n");
  folder_.write("k/text", "u1 x\nu2 y\n");
  folder_.write("k/a.wav", "a");
  folder_.write("k/b.wav", "bb");
  const SourceSet set = find({"kaldi:" + folder_.file("k"), "n=" + folder_.file("k")});
  ASSERT_EQ(set.datasets.size(), 2u);
  EXPECT_EQ(set.datasets[0].name, "k");
  EXPECT_THAT(paths(set.datasets[0]), ElementsAre(folder_.file("k/a.wav"), folder_.file("k/b.wav")));
  EXPECT_EQ(paths(set.datasets[1]), paths(set.datasets[0]));
  ASSERT_EQ(set.datasets[0].descriptions.size(), 2u);
  EXPECT_EQ(set.given[1].bytes, 3u);
  EXPECT_THROW(check_output_folder(folder_.file("k"), set), UsageError);
  const auto before = set.digest();
  folder_.write("k/text", "u1 x\nu2 zzz\n");
  EXPECT_NE(find({"kaldi:" + folder_.file("k"), "n=" + folder_.file("k")}).digest(), before);
}

TEST_F(SourceSetTest, ShardsWinOverAudioWithAWarning) {
  folder_.write("d/a.tar", "x");
  folder_.write("d/b.wav", "x");
  const SourceSet set = find({folder_.file("d")});
  EXPECT_THAT(paths(set.datasets[0]), ElementsAre(EndsWith("a.tar")));
  ASSERT_EQ(set.warnings.size(), 1u);
  EXPECT_THAT(set.warnings[0].what(), HasSubstr("only the shards are read (audio:" + folder_.file("d")));
  EXPECT_THAT(paths(find({"audio:" + folder_.file("d")}).datasets[0]), ElementsAre(EndsWith("b.wav")));
}

TEST_F(SourceSetTest, MissingTranscriptsAreWarnedOfForEachDataset) {
  for (const char* name : {"k/a", "k/b", "k/c", "m/a", "m/d"}) folder_.write(std::string(name) + ".wav", "x");
  for (const char* name : {"k/b", "m/a"}) folder_.write(std::string(name) + ".txt", "some words");
  const std::vector<std::string> sources{"k=" + folder_.file("k"), "m=" + folder_.file("m")};
  const auto warnings = [&](const FindOptions& options) {
    std::vector<std::string> texts;
    for (const Error& warning : find_sources(sources, options).warnings) texts.emplace_back(warning.what());
    return texts;
  };
  const auto of_k = HasSubstr("a.wav: 'a' has no transcript, and neither has 1 other");
  EXPECT_THAT(warnings({}), ElementsAre(of_k, HasSubstr("d.wav: 'd' has no transcript")));
  EXPECT_THAT(
      warnings({.wanted = [](std::string_view key) { return key != "a"; }}),
      ElementsAre(HasSubstr("c.wav: 'c' has no transcript"), HasSubstr("d.wav: 'd' has no transcript")));
  FindOptions options{.has_other_text = [](const std::string&, std::string_view key) { return key == "d"; },
                      .may_have_other_texts = [](const std::string& name) { return name == "m"; }};
  EXPECT_THAT(warnings(options), ElementsAre(of_k));  // of m, the run warns
  options.is_trial = true;
  EXPECT_THAT(warnings(options), ElementsAre(of_k));
  // What is an error needs no warning besides.
  Faults faults;
  options.missing_text = MissingText::refused;
  options.faults = &faults;
  EXPECT_THAT(warnings(options), ElementsAre());
  EXPECT_FALSE(faults.empty());
}

TEST_F(SourceSetTest, WhatHasNoAudioIsCountedOrCollected) {
  folder_.write("k/wav.scp", "u1 a.wav\nu2 b.wav\nu3 c.wav\n");
  folder_.write("k/segments", "s1 u1 0 1\ns2 u2 0 1\ns3 u3 0 1\ns4 u1 2 1\n");
  folder_.write("k/a.wav", "a");
  EXPECT_EQ(problem_of({folder_.file("k")}),
            folder_.file("k/b.wav") + ": No such file or directory (named in " + folder_.file("k/wav.scp") +
                ": line 2), and 1 more utterance has no audio: 's3'");
  const SourceSet set = find_sources({"n=" + folder_.file("k")}, {.on_unusable = OnUnusable::collect});
  ASSERT_EQ(set.unusable.size(), 3u);
  EXPECT_EQ(set.unusable[0].dataset, "n");
  EXPECT_EQ(set.unusable[0].key, "s2");
  EXPECT_EQ(set.unusable[0].what, Unusable::What::audio);
}

TEST_F(SourceSetTest, RawCorporaAreRefusedWhereOnlyShardsWillDo) {
  folder_.write("k/a.wav", "a");
  const std::string list = folder_.write("l.list", R"({"key":"a","wav":"k/a.wav"})");
  for (const std::string& source : {folder_.file("k"), "audio:" + folder_.file("k"), list}) {
    EXPECT_THROW(find_sources({source}, {.corpora = false}), UsageError) << source;
  }
}

TEST_F(SourceSetTest, PatternsOfCorporaMakeOneDataset) {
  for (const char* name : {"L/dev-clean/1/2/1-2-0000.flac", "L/dev-other/3/4/3-4-0000.flac",
                           "L/dev-notes.txt", "L/test/5/6/5-6-0000.flac"}) {
    folder_.write(name, "x");
  }
  const SourceSet set = find({"librispeech:" + folder_.file("L/dev-*")});
  ASSERT_EQ(set.datasets.size(), 1u);
  EXPECT_EQ(set.datasets[0].name, "L");
  EXPECT_EQ(set.datasets[0].files.size(), 2u);
}

TEST_F(SourceSetTest, TheOutputMayNotBeReadAgain) {
  folder_.write("in/sub/a.tar", "x");
  const SourceSet by_folder = find({folder_.file("in")});
  for (const char* out : {"in", "in/", "in/out", "in/sub/deep/out", "x/../in/out"}) {
    EXPECT_THROW(check_output_folder(folder_.file(out), by_folder), UsageError) << out;
  }
  EXPECT_NO_THROW(check_output_folder(folder_.file("out"), by_folder));
  EXPECT_NO_THROW(check_output_folder(folder_.file("in2"), by_folder));
  fs::create_directory_symlink(folder_.file("in"), folder_.file("link"));
  EXPECT_THROW(check_output_folder(folder_.file("link/out"), by_folder), UsageError);

  const SourceSet by_file = find({folder_.file("in/sub/a.tar")});
  EXPECT_NO_THROW(check_output_folder(folder_.file("in/sub/out"), by_file));
  EXPECT_THROW(check_output_folder(folder_.file("in/sub"), by_file), UsageError);
  EXPECT_THROW(check_output_folder(folder_.path().string(), by_file), UsageError);
}

}  // namespace
}  // namespace shardmill::source
