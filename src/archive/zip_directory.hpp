// The directory at the end of a zip: its entries, with a check that they are plausible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::archive {

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
