// check_folder: tries in a folder what a run needs there, and measures its disk.
#pragma once

#include <cstdint>
#include <string>

#include "base/reporter.hpp"

namespace shardmill::check {

struct FolderCheck {
  std::string problem;    // why nothing can be written; if it is not empty, the other members are not known
  bool locks = false;     // a file that is locked cannot be locked a second time
  bool replaces = false;  // renaming onto a file replaces it
  std::uint64_t tried_bytes = 0;      // 0 when there is too little room for a measurement
  double write_bytes_per_second = 0;  // including the sync
  double read_bytes_per_second = 0;   // after asking the system to forget what it has cached
};

/// Uses only files of its own, of at most `most_bytes`, writes for at most `seconds`, and removes the files
/// afterwards. Throws only base::Interrupted.
FolderCheck check_folder(const std::string& folder, std::uint64_t most_bytes, double seconds,
                         base::Reporter& reporter);

}  // namespace shardmill::check
