// Pages: PageWalk finds the pages of a chunk of a column by their headers, and load_page() reads one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/io/file.hpp"
#include "parquet/file_metadata.hpp"

namespace shardmill::parquet {

struct PageHeader {
  PageKind kind = PageKind::data;
  std::uint64_t offset = 0;  // of the header
  std::uint64_t body_offset = 0;
  std::uint32_t packed_bytes = 0;
  std::uint32_t plain_bytes = 0;
  std::optional<std::uint32_t> crc{};
  std::uint32_t values = 0;  // nulls count
  Encoding encoding = Encoding::plain;
  Encoding definition_encoding = Encoding::rle;  // v1
  Encoding repetition_encoding = Encoding::rle;
  std::uint32_t definition_bytes = 0;  // v2
  std::uint32_t repetition_bytes = 0;
  bool is_packed = true;

  bool is_data() const noexcept { return kind == PageKind::data || kind == PageKind::data_v2; }
  std::uint64_t end() const noexcept { return body_offset + packed_bytes; }
  /// The memory that load_page() takes.
  std::uint64_t memory_bytes(Packing packing) const noexcept {
    return plain_bytes + (packing == Packing::none ? 0 : packed_bytes);
  }
};

/// One thread at a time.
class PageWalk {
 public:
  /// `file` must outlive it.
  PageWalk(const base::File& file, const Chunk& chunk) : file_(&file), chunk_(chunk), at_(chunk.begin) {}

  /// The next page with data, or the dictionary, which can only come first; nullopt when all values of the
  /// chunk were found. Throws Error, with the place, for a header that is damaged or does not fit the chunk.
  std::optional<PageHeader> next();

 private:
  PageHeader read_header() const;

  const base::File* file_;
  Chunk chunk_;
  std::uint64_t at_;
  std::uint64_t values_ = 0;  // of the pages so far
  bool has_begun_ = false;    // there were pages
};

/// The plain bytes of a page: of levels, as far as they are apart, and then of values.
struct PageBody {
  std::vector<std::byte> bytes;
  std::size_t levels_bytes = 0;  // v2: of both kinds of levels
};

/// Reads and unpacks a page, and compares its checksum, if it has one. Throws Error, with the place, for
/// damage. Thread-safe.
PageBody load_page(const base::File& file, const PageHeader& header, Packing packing);

}  // namespace shardmill::parquet
