// ParquetColumns: which columns of a Parquet file hold the audio, the transcript, the speaker and the keys.
// ParquetKeys: the keys of its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.hpp"
#include "parquet/file_metadata.hpp"
#include "parquet/row_reader.hpp"

namespace shardmill::shard {

struct ParquetColumns {
  std::size_t audio = 0;              // the leaf with the bytes
  std::optional<std::size_t> path{};  // the leaf beside it with the name of the file
  std::vector<std::size_t> others{};  // nodes: the columns of the table that become facts
  std::optional<std::size_t> text{};  // of `others`: the transcript
  std::optional<std::size_t>
      speaker{};                    // of `others`: a column that means the speaker and is called otherwise
  std::vector<std::size_t> keys{};  // leaves that may be the key, the best first
  std::vector<std::string> left_out{};  // columns of images and of other audio
};

/// Throws Error, without a place, if no column holds audio, or several do.
ParquetColumns choose_columns(const parquet::FileMetadata& metadata);

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
