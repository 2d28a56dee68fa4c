// FileMetadata: the footer of a Parquet file, checked: its columns as a tree, and where each chunk of each
// column is; and the numbers of parquet.thrift in the format's specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::parquet {

/// The first and the last bytes of a file.
inline constexpr std::string_view kMagic = "PAR1";

/// Type
enum class Physical : std::uint8_t {
  boolean,
  int32,
  int64,
  int96,
  float32,
  float64,
  byte_array,
  fixed_bytes,
};

/// FieldRepetitionType
enum class Repetition : std::uint8_t { required, optional, repeated };

/// CompressionCodec
enum class Packing : std::uint8_t { none, snappy, gzip, lzo, brotli, lz4_hadoop, zstd, lz4 };

/// PageType
enum class PageKind : std::uint8_t { data, index, dictionary, data_v2 };

enum class Encoding : std::uint8_t {
  plain = 0,
  plain_dictionary = 2,
  rle = 3,
  bit_packed = 4,
  delta_binary_packed = 5,
  delta_length_byte_array = 6,
  delta_byte_array = 7,
  rle_dictionary = 8,
  byte_stream_split = 9
};

/// ConvertedType::UTF8
inline constexpr std::int32_t kUtf8 = 0;

/// All numbers of the format are little-endian, but for those of decimals and of Hadoop's LZ4.
inline std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

/// What the values of a node mean.
enum class Meaning : std::uint8_t {
  plain,
  text,
  json,
  map,
  list,
  decimal,
  date,
  time,
  timestamp,
  unsigned_integer,
  uuid,
  float16,
};

/// The ticks of a time in a second, as a power of ten.
enum class Unit : std::uint8_t { milliseconds = 3, microseconds = 6, nanoseconds = 9 };

struct SchemaNode {
  std::string name;
  Repetition repetition = Repetition::required;
  Physical type = Physical::boolean;  // of a leaf
  std::uint32_t fixed_bytes = 0;      // of a value of Physical::fixed_bytes
  Meaning meaning = Meaning::plain;
  Unit unit = Unit::milliseconds;  // of times
  bool is_utc = false;             // the same
  std::int32_t scale = 0;          // of decimals
  std::vector<std::size_t> children{};
  std::size_t leaf = kNoLeaf;
  std::uint32_t definition = 0;  // the level at which it is there
  std::uint32_t repeats = 0;     // the level at which its next element begins

  static constexpr std::size_t kNoLeaf = static_cast<std::size_t>(-1);
  bool is_leaf() const noexcept { return leaf != kNoLeaf; }
};

/// The part of a column that belongs to one group of rows.
struct Chunk {
  Packing packing = Packing::none;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t values = 0;  // nulls count
};

struct RowGroup {
  std::uint64_t rows = 0;
  std::vector<Chunk> chunks{};  // by leaf
};

struct FileMetadata {
  std::vector<SchemaNode> nodes;    // the table itself first
  std::vector<std::size_t> leaves;  // nodes, by number of leaf
  std::vector<RowGroup> groups;
  std::uint64_t rows = 0;
  std::uint64_t footer_begin = 0;
  std::vector<std::pair<std::string, std::string>> notes;  // the file's own metadata

  const SchemaNode& table() const { return nodes.front(); }
  const SchemaNode& leaf(std::size_t number) const { return nodes[leaves[number]]; }
  /// "audio.path"
  std::string path_of(std::size_t leaf) const;
};

/// True if these bytes, of the start of a file, are those of a Parquet file.
bool has_parquet_magic(std::span<const std::byte> first);

/// Throws Error, with the place, if the footer is damaged, contradicts itself or names places outside of the
/// file; and for forms that are not read: encrypted files, and columns that are in other files.
FileMetadata read_file_metadata(const base::File& file);

}  // namespace shardmill::parquet
