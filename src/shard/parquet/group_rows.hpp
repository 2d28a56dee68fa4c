// GroupRows: the rows of a Parquet file as members of a tar, one group of rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/row_reader.hpp"
#include "shard/parquet/keys.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::shard {

/// What all pieces of a file share.
struct ParquetFile {
  explicit ParquetFile(const base::File& source);

  base::File file;
  parquet::FileMetadata metadata;
  ParquetColumns columns;
  ParquetKeys keys;
};

/// The columns beside the audio, row by row, and its dictionary. Only the reading thread uses it, but for
/// dictionary().
class GroupRows {
 public:
  GroupRows(std::shared_ptr<const ParquetFile> table, std::size_t group);

  /// Set before the first piece with data is prepared.
  std::optional<parquet::PageHeader> dictionary_page{};

  std::shared_ptr<const parquet::Dictionary> dictionary();
  const parquet::Chunk& audio_chunk() const {
    return table_->metadata.groups[group_].chunks[table_->columns.audio];
  }

  /// Puts all members of a row but the bytes of its audio into `out`. Throws Error for damage, and then again
  /// for every row of the group.
  void append_members(std::uint64_t row, const std::optional<parquet::Scalar>& audio, Bytes& out);
  bool has_failed() const noexcept { return failure_.has_value(); }

  /// Of all that it holds from one piece to the next.
  std::uint64_t memory_bytes() const noexcept;

 private:
  void append(std::uint64_t row, const std::optional<parquet::Scalar>& audio, Bytes& out);
  std::string json_of(const std::vector<parquet::Field>& fields, const std::string& path) const;
  std::optional<parquet::Scalar> take(parquet::ColumnCursor& cursor) const;

  std::shared_ptr<const ParquetFile> table_;
  std::size_t group_;
  parquet::RowReader rows_;
  std::unique_ptr<parquet::ColumnCursor> path_;
  std::unique_ptr<parquet::ColumnCursor> key_;
  std::uint64_t first_row_ = 0;
  std::once_flag once_;
  std::shared_ptr<const parquet::Dictionary> dictionary_;
  std::exception_ptr dictionary_failure_;
  std::optional<Error> failure_;
};

}  // namespace shardmill::shard
