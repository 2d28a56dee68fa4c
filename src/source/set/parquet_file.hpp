// Parquet files as sources: their columns, and the subset that their names mean.
#pragma once

#include <string>

#include "source/source_file.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// See shard::is_parquet(). Throws Error if it cannot be read.
bool is_parquet_file(const std::string& path);

/// "train" for train-00000-of-00012.parquet, "validation" for default/validation/0000.parquet; empty if the
/// path names no subset.
std::string subset_of_parquet(const std::string& path);

/// Throws Error, with the place, for a file without audio or with a damaged footer, and if it has no column
/// for the text that the options name.
ParquetRows look_into_parquet(const std::string& path, const TreeOptions& options);

}  // namespace shardmill::source
