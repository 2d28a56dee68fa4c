#include "source/source_spec.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "source/corpora/list.hpp"

namespace shardmill::source {
namespace {

TEST(SourceSpec, NamesAndPaths) {
  EXPECT_EQ(parse_source("a.tar").path, "a.tar");
  EXPECT_FALSE(parse_source("a.tar").dataset);
  EXPECT_EQ(parse_source("train-1.b_c=x/y=z.tar").dataset, "train-1.b_c");
  EXPECT_EQ(parse_source("train-1.b_c=x/y=z.tar").path, "x/y=z.tar");
}

TEST(SourceSpec, AnEqualsSignInAPathIsNoName) {
  for (const char* path : {"./x=y.tar", "data/lang=en/a.tar", "=x", "a b=c", "ü=c"}) {
    EXPECT_FALSE(parse_source(path).dataset) << path;
    EXPECT_EQ(parse_source(path).path, path);
  }
}

TEST(SourceSpec, EmptyOnesAreRefused) {
  EXPECT_THROW(parse_source(""), UsageError);
  EXPECT_THROW(parse_source("name="), UsageError);
}

TEST(SourceSpec, ParquetByPrefix) {
  EXPECT_TRUE(parse_source("a=parquet:x/y").is_parquet);
  EXPECT_EQ(parse_source("a=parquet:x/y").path, "x/y");
  EXPECT_FALSE(parse_source("./parquet:x").is_parquet);
  EXPECT_THROW(parse_source("parquet:"), UsageError);
}

TEST(SourceSpec, CorporaByPrefix) {
  const SourceSpec spec = parse_source("a=wenet:x:y/data.list");
  EXPECT_EQ(spec.dataset, "a");
  EXPECT_EQ(spec.corpus, &kWenet);
  EXPECT_EQ(spec.path, "x:y/data.list");
  EXPECT_EQ(parse_source("aishell2:d").corpus, &kAishell2);
  for (const char* path : {"./kaldi:x", "kaldi/x", "other:x", ":x"}) {
    EXPECT_EQ(parse_source(path).corpus, nullptr) << path;
    EXPECT_EQ(parse_source(path).path, path);
  }
  EXPECT_THROW(parse_source("kaldi:"), UsageError);
}

TEST(SourceSpec, Patterns) {
  EXPECT_TRUE(is_pattern("a/*.tar"));
  EXPECT_TRUE(is_pattern("a?"));
  EXPECT_TRUE(is_pattern("[ab]"));
  EXPECT_FALSE(is_pattern("a/b.tar"));
  EXPECT_EQ(fixed_part("data/a/*/x?.tar"), "data/a");
  EXPECT_EQ(fixed_part("data/a*"), "data");
  EXPECT_EQ(fixed_part("*.tar"), ".");
  EXPECT_EQ(fixed_part("/*.tar"), "/");
}

TEST(SourceSpec, DatasetNamesFromFileNames) {
  EXPECT_EQ(dataset_name_from("aishell2"), "aishell2");
  EXPECT_EQ(dataset_name_from("v1.2 (final)"), "v1.2__final_");
  EXPECT_EQ(dataset_name_from(""), "data");
}

}  // namespace
}  // namespace shardmill::source
