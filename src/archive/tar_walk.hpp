// walk_tar: finds the files of a plain tar by reading only the headers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::archive {

struct TarWalk {
  /// A regular file.
  struct Place {
    std::string name;                 // exactly as in the tar
    bool is_name_in_header = true;    // the name field of its own header has room for it
    std::uint64_t header_offset = 0;  // of its first header, which may be a long-name header
    std::uint64_t offset = 0;         // of its bytes
    std::uint64_t bytes = 0;
  };

  std::vector<Place> files;
  std::vector<std::string> links;  // hard and symbolic ones, by their names
  std::uint64_t end_offset = 0;    // of the first zero block, or the size of a tar without one
};

/// Skips the bytes of the members, so it reads little more than a block for each member. Folders are
/// left out. Throws Error, with the offset, for a damaged tar and for sparse files. Thread-safe.
TarWalk walk_tar(const base::File& tar);

}  // namespace shardmill::archive
