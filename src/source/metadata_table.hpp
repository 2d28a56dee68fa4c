// MetadataTable: a text file whose rows tell more of samples, found by their keys.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/file_watch.hpp"

namespace shardmill::source {

/// A hash of all bytes of a file.
base::Xxh128 hash_of_content(const base::File& file);

struct MetadataRow {
  std::string key;  // without the extension of audio
  std::optional<std::string> text{};
  std::string facts{};  // all other fields: members of a manifest line
};

class TableShape;

/// JSON lines, or TSV or CSV with a header. Only where the rows lie is held in memory, 16 bytes for each;
/// they are read again when they are asked for. Any thread may ask.
class MetadataTable {
 public:
  /// `text_field`: the name of the transcript. Throws Error, with the line, for a text that is no table, for
  /// one without a column of keys, and for a key with two unlike rows.
  MetadataTable(const std::string& path, std::string_view text_field);
  ~MetadataTable();

  /// The number of the row for a sample of this key: of the same name, or where one of the two has folders in
  /// front, of a name that ends so. Throws FatalError when the file has changed.
  std::optional<std::size_t> find(std::string_view key) const;
  MetadataRow row(std::size_t number) const;

  const std::string& path() const noexcept { return file_.path(); }
  std::size_t rows() const noexcept { return entries_.size(); }
  /// Whether it has transcripts.
  bool has_text() const;
  /// A sentence, if its last row may be cut.
  const std::string& doubt() const noexcept { return doubt_; }
  /// Of all bytes of the file.
  const base::Xxh128& hash() const noexcept { return hash_; }
  /// Throws FatalError when the file has changed.
  void check() const { watch_.check(); }

 private:
  /// Sorted by hash, then by place.
  struct Entry {
    static constexpr unsigned kSizeBits = 21;

    std::uint64_t hash;   // of the last part of the key
    std::uint64_t place;  // the offset in the file, then the number of bytes

    std::uint64_t offset() const noexcept { return place >> kSizeBits; }
    std::uint64_t bytes() const noexcept { return place & ((std::uint64_t{1} << kSizeBits) - 1); }
    auto operator<=>(const Entry&) const = default;
  };

  std::optional<Error> read_rows(std::string_view text_field);
  std::optional<Error> take_out_repeated();
  void check_numbers() const;
  std::uint64_t line_at(std::uint64_t offset) const;
  std::string record(const Entry& entry) const;

  base::FileWatch watch_;
  base::File file_;
  std::unique_ptr<TableShape> shape_;
  std::vector<Entry> entries_;
  base::Xxh128 hash_;
  std::string doubt_;
};

}  // namespace shardmill::source
