#include "pipeline/input_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardmill::pipeline {
namespace {

using ::testing::HasSubstr;

class SplitCheckTest : public ::testing::Test {
 protected:
  SplitCheckTest() { inputs.streams = {{.name = "libri", .files = {}, .datasets = {0}}}; }

  /// A recording of a published corpus, with the facts of its only utterance.
  void add(const char* key, const char* facts, const char* corpus_name = "librispeech") {
    auto corpus = std::make_shared<source::CorpusUtterances>();
    corpus->name = corpus_name;
    source::CorpusUtterance utterance;
    utterance.key = key;
    utterance.facts = facts;
    corpus->utterances.push_back(utterance);
    source::SourceFile file{.path = std::string(key) + ".flac"};
    file.utterances = corpus->utterances;
    file.corpus = std::move(corpus);
    inputs.streams[0].files.push_back(std::move(file));
  }
  std::string problem() const {
    try {
      check_splits(inputs, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  Inputs inputs;
  IntakeOptions options;
};

TEST_F(SplitCheckTest, OneSplitIsFine) {
  add("a", R"("subset":"train-clean-100")");
  add("b", R"("subset":"train-other-500")");
  add("c", "");
  EXPECT_EQ(problem(), "none");
}

TEST_F(SplitCheckTest, TwoAreNotMixedUnasked) {
  add("a", R"("subset":"train-clean-100")");
  add("b", R"("subset":"test-clean")");
  add("c", R"("subset":"dev-clean")");
  const std::string text = problem();
  EXPECT_THAT(text, HasSubstr("the sources hold several splits"));
  EXPECT_THAT(text, HasSubstr("'a' of libri in train-clean-100"));
  EXPECT_THAT(text, HasSubstr("'b' of libri in test-clean"));
  EXPECT_THAT(text, HasSubstr("'c' of libri in dev-clean"));
  // It names the file where the second was found.
  EXPECT_THAT(text, HasSubstr("b.flac"));
}

TEST_F(SplitCheckTest, ThoseThatAreWantedMayMix) {
  add("a", R"("subset":"train-clean-100")");
  add("b", R"("subset":"test-clean")");
  options.tree.subsets = {"all"};
  EXPECT_EQ(problem(), "none");
}

TEST_F(SplitCheckTest, SplitsOfTheUsersOwnListsAreTheirBusiness) {
  add("a", R"("subset":"train")", "");
  add("b", R"("subset":"test")", "");
  EXPECT_EQ(problem(), "none");
}

TEST_F(SplitCheckTest, AnArchiveThatHoldsAllSplitsIsToldBeforeItIsRead) {
  auto tree = std::make_shared<source::ArchivedTree>();
  tree->holds_all_splits = true;
  source::SourceFile file{.path = "all.tgz", .bytes = std::uint64_t{64} << 20};
  file.tree = tree;
  inputs.streams[0].files = {file};
  EXPECT_THAT(problem(), HasSubstr("packs training and test data together"));
  // A small one is read up to its second split in no time.
  --inputs.streams[0].files[0].bytes;
  EXPECT_EQ(problem(), "none");
}

TEST(MixedSplits, NamesEachWithItsSample) {
  const Error error = mixed_splits({{"test", "'t' of d"}, {"train", "'a' of d"}}, "x.tar");
  EXPECT_THAT(std::string(error.what()), HasSubstr("unless asked to: 't' of d, 'a' of d"));
  EXPECT_THAT(std::string(error.what()), HasSubstr("x.tar"));
}

}  // namespace
}  // namespace shardmill::pipeline
