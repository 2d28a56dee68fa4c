// ParquetColumns: which columns of a Parquet file hold the audio, the transcript, the speaker and the keys.
// ParquetKeys: the keys of its rows.
// open_parquet: its rows as the bytes of a tar: KEY.txt, KEY.json and KEY.wav for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.hpp"
#include "codec/piece.hpp"
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

/// KEY.txt is the transcript, if there is a column of that; KEY.json has all columns but those of bytes. The
/// extension of the audio is that of its content. A row whose audio is null has no member for it.
///
/// A piece is one page of the column of audio, or several small ones, and the rows in them. After damage in a
/// page the next page goes on; after damage in another column the rest of its group of rows is lost.
///
/// Throws Error, with the place, if the footer is damaged or no column holds audio.
std::unique_ptr<codec::PieceReader> open_parquet(const base::File& file, const codec::RestartPoint& from);

}  // namespace shardmill::shard
