#include "source/corpora.hpp"

#include <gtest/gtest.h>

#include <set>

#include "source/corpora/list.hpp"

namespace shardmill::source {
namespace {

TEST(CorporaTest, EachHasAPrefixOfItsOwn) {
  std::set<std::string_view> prefixes;
  std::set<std::string_view> names;
  for (const Corpus* corpus : all_corpora()) {
    EXPECT_TRUE(names.insert(corpus->name).second) << corpus->name;
    if (!corpus->is_read()) continue;
    EXPECT_TRUE(prefixes.insert(corpus->prefix).second) << corpus->prefix;
    EXPECT_EQ(corpus_with_prefix(corpus->prefix), corpus);
    EXPECT_TRUE(corpus->make != nullptr || corpus->read != nullptr) << corpus->name;
  }
  EXPECT_EQ(corpus_with_prefix("librispeech"), &kLibriSpeech);
  EXPECT_EQ(corpus_with_prefix("Kaldi"), nullptr);
  EXPECT_EQ(corpus_with_prefix(""), nullptr);
}

TEST(CorporaTest, TextFieldsOfEach) {
  for (const Corpus* corpus : all_corpora()) {
    if (!corpus->is_tree()) continue;
    EXPECT_THROW(archived_tree(*corpus, {.text_field = "nothing"}), UsageError) << corpus->name;
    EXPECT_NO_THROW(archived_tree(*corpus, {.text_field = "nothing", .text_field_is_elsewhere = true}));
  }
  EXPECT_NO_THROW(archived_tree(kLibriTts, {.text_field = "original"}));
}

}  // namespace
}  // namespace shardmill::source
