// The directory at the end of a zip: which entries there are, and whether it can be trusted.
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

/// In the order of the directory. Throws Error for a zip that is cut or damaged, and where entries overlap,
/// as no program writes them: a small file may so unpack to any size.
std::vector<ZipEntry> read_zip_directory(const base::File& zip);

}  // namespace shardmill::archive
