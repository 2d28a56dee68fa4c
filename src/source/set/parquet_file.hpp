// Parquet files as sources: their columns, and the subset that their names mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "source/source_file.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// See shard::is_parquet(). Throws Error if it cannot be read.
bool is_parquet_file(const std::string& path);

/// "train" for train-00000-of-00012.parquet, "validation" for default/validation/0000.parquet; empty if the
/// path names no subset.
std::string subset_of_parquet(const std::string& path);

/// "train-00003-of-00012.parquet".
struct PartNumber {
  std::uint32_t number = 0;
  std::uint32_t parts = 0;
  std::size_t digits = 0;  // as the number is written
};

/// Which of the files that are numbered as parts are there.
class ParquetParts {
 public:
  void add(const std::string& path);
  /// One for each set of parts of which some are not there.
  std::vector<Error> missing() const;

 private:
  struct Set {
    std::size_t digits = 0;
    std::set<std::uint32_t> numbers{};
  };

  std::map<std::pair<std::string, std::uint32_t>, Set>
      sets_;  // by their path before the number, and how many
};

/// Throws Error, with the place, for a file without audio or with a damaged footer, and if it has no column
/// for the text that the options name.
ParquetRows look_into_parquet(const std::string& path, const TreeOptions& options);

}  // namespace shardmill::source
