#include "source/set/parquet_file.hpp"

#include <gtest/gtest.h>

namespace shardmill::source {
namespace {

TEST(ParquetFile, SubsetsByNames) {
  for (const auto& [path, subset] : {std::pair("a/train-00000-of-00012.parquet", "train"),
                                     {"train-00000-of-00012-0123456789abcdef.parquet", "train"},
                                     {"clean/train.100-00003-of-00014.parquet", "train.100"},
                                     {"invalidated-00000-of-00001.parquet", "invalidated"},
                                     {"a/validation.parquet", "validation"},
                                     {"default/test/0000.parquet", "test"},
                                     {"train/en/0000.parquet", "train"},
                                     {"train/a/b/0000.parquet", ""},
                                     {"part-of-it.parquet", ""},
                                     {"-of-00012.parquet", ""},
                                     {"0000.parquet", ""}})
    EXPECT_EQ(subset_of_parquet(path), subset) << path;
}

}  // namespace
}  // namespace shardmill::source
