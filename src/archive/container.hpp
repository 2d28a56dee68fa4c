// Container: archives other than tars (zip, 7z, rar), read from front to back through libarchive.
// The directory at the end of a zip: its entries, with a check that they are plausible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::archive {

inline constexpr std::size_t kContainerMagicBytes = 8;

/// "zip", "7z" or "rar" by the first bytes; empty for anything else.
std::string_view container_format(std::span<const std::byte> first);

/// One thread at a time.
class Container {
 public:
  struct Entry {
    std::string path;
    bool is_file = false;
    bool is_link = false;  // symbolic
    bool is_encrypted = false;
  };

  /// `file` must outlive it. Throws Error if it is not such an archive.
  explicit Container(const base::File& file);
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  /// The next entry; nullopt at the end. Throws Error for damage, after which nothing more can be read.
  std::optional<Entry> next();
  /// The content of the entry that next() returned last. Throws Error for damage, and for a content of more
  /// than `limit_bytes`; next() may be called afterwards.
  Bytes read(std::uint64_t limit_bytes);
  /// Passes the content to `take` in steps. Exceptions of `take` pass through; next() may be called
  /// afterwards.
  void read(const std::function<void(std::span<const std::byte> bytes)>& take);
  /// The number of bytes of the file that were read, roughly.
  std::uint64_t consumed_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string libarchive_version();

struct ZipEntry {
  std::string path;
  std::uint64_t packed_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t offset = 0;  // of its local header
  bool is_encrypted = false;
};

/// Returns the entries in the order of the directory. Throws Error for a zip that is cut or damaged, and for
/// overlapping entries, with which a small file could unpack to any size; no program writes them.
std::vector<ZipEntry> read_zip_directory(const base::File& zip);

}  // namespace shardmill::archive
