#include "shard/parquet/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "shard/keys.hpp"

namespace shardmill::shard {

namespace {

constexpr std::size_t kMostKeyBytes = 255;  // as of a name of a file

/// Leaves no character that would divide the name of a member, or end it.
std::string as_key(std::string_view text) {
  std::string key(text);
  std::replace_if(
      key.begin(), key.end(),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return c == '/' || c == '\\' || c == '.' || byte < 0x20 || byte == 0x7f;
      },
      '_');
  return key;
}

/// "b" of "a/b.wav". What looks like an extension stays if it is none of audio: "1.5" is a number.
std::string_view base_name(std::string_view path) {
  path.remove_prefix(std::min(path.find_last_of("/\\") + 1, path.size()));
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return path;
  const auto split = split_name(path, KeyRule::wenet);
  const bool is_media = split && (is_audio_extension(split->extension) || may_hold_audio(split->extension));
  return is_media ? path.substr(0, dot) : path;
}

/// True if each row has a key of some bytes in this column, and no two have the same.
bool is_unique(const base::File& file, const parquet::FileMetadata& metadata, std::size_t leaf) {
  // Of two different keys with one hash, which do not happen, another column would be taken.
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t group = 0; group < metadata.groups.size(); ++group) {
    parquet::ColumnCursor cursor(file, metadata, group, leaf, kMostTextPageBytes);
    for (; const parquet::Entry* entry = cursor.current(); cursor.advance()) {
      if (!entry->value) return false;
      const std::string key = ParquetKeys::key_of(cursor.column(), *entry->value);
      base::RunningHash hash;
      hash.update(std::string_view(key));
      if (key.empty() || key.size() > kMostKeyBytes || !seen.insert(hash.digest()).second) return false;
    }
  }
  return true;
}

}  // namespace

ParquetKeys::ParquetKeys(const base::File& file, const parquet::FileMetadata& metadata,
                         const ParquetColumns& columns)
    : digits_(fmt::formatted_size("{}", metadata.rows)) {
  std::string_view name = file.path();
  name.remove_prefix(name.rfind('/') + 1);
  if (name.ends_with(".parquet")) name.remove_suffix(std::string_view(".parquet").size());
  stem_ = as_key(name);
  const auto found = std::find_if(columns.keys.begin(), columns.keys.end(),
                                  [&](std::size_t leaf) { return is_unique(file, metadata, leaf); });
  if (found != columns.keys.end()) leaf_ = *found;
}

std::string ParquetKeys::key_of(const parquet::SchemaNode& column, const parquet::Scalar& value) {
  if (column.type != parquet::Physical::byte_array) return fmt::format("{}", value.integer);
  return as_key(base_name({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()}));
}

std::string ParquetKeys::key_of(std::uint64_t row) const {
  return fmt::format("{}_{:0{}}", stem_, row, digits_);
}

}  // namespace shardmill::shard
