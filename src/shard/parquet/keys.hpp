// ParquetKeys: the keys of the rows of a Parquet file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/file.hpp"
#include "parquet/column.hpp"
#include "parquet/file_metadata.hpp"
#include "shard/parquet/columns.hpp"

namespace shardmill::shard {

/// The largest page of a column other than the audio.
inline constexpr std::uint64_t kMostTextPageBytes = std::uint64_t{256} << 20;

/// The first column of ParquetColumns::keys in which each row of the file has a key of its own gives the
/// keys. If there is no such column, they are made of the name of the file and the number of the row.
class ParquetKeys {
 public:
  /// Reads the columns that may give the keys. Throws Error for damage in one of them.
  ParquetKeys(const base::File& file, const parquet::FileMetadata& metadata, const ParquetColumns& columns);

  /// The leaf that gives the keys; nullopt if no column does.
  std::optional<std::size_t> leaf() const noexcept { return leaf_; }
  /// The key of a row whose leaf has this value.
  static std::string key_of(const parquet::SchemaNode& column, const parquet::Scalar& value);
  /// The key of a row, by its number in the file.
  std::string key_of(std::uint64_t row) const;

 private:
  std::optional<std::size_t> leaf_;
  std::string stem_;
  std::size_t digits_;
};

}  // namespace shardmill::shard
