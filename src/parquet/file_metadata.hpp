// FileMetadata: the footer of a Parquet file, checked: its columns as a tree, and where each chunk of each
// column is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "parquet/format.hpp"

namespace shardmill::parquet {

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
/// file; and for what is not read: encrypted files, and columns that are in other files.
FileMetadata read_file_metadata(const base::File& file);

}  // namespace shardmill::parquet
