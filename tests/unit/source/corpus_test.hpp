// What tests of raw corpora begin with: a folder to write a corpus into, and its utterances as lines of text.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "source/corpora.hpp"
#include "source/corpora/list.hpp"
#include "source/corpus_lines.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {

using shardmill::testing::lines_of;
using shardmill::testing::problem_of_corpus;
using shardmill::testing::unusable_lines;
using shardmill::testing::warnings_of;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CorpusTest : public ::testing::Test {
 protected:
  /// What lies in the folder under this name.
  CorpusFiles read_as(const Corpus& corpus, const std::string& name,
                      const CorpusOptions& options = {}) const {
    return read_corpus(corpus, folder_.file(name), options);
  }
  std::string problem_as(const Corpus& corpus, const std::string& name) const {
    return problem_of_corpus(corpus, folder_.file(name));
  }

  testing::TemporaryFolder folder_;
};

}  // namespace shardmill::source
