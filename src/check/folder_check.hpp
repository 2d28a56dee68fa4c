// folder_check: tries in a folder what a run needs there, and measures its disk.
#pragma once

#include <cstdint>
#include <string>

#include "base/reporter.hpp"

namespace shardmill::check {

struct FolderCheck {
  std::string
      problem;         // why nothing can be written there; empty when it can, and only then is the rest known
  bool locks = false;  // a file that is locked once cannot be locked again
  bool replaces = false;              // a rename onto a file replaces it
  std::uint64_t tried_bytes = 0;      // 0 where there is too little room to measure
  double write_bytes_per_second = 0;  // until it is synced
  double read_bytes_per_second = 0;   // with the system asked to forget what it has cached
};

/// Works in files of its own that are gone afterwards: at most `most_bytes`, and no longer than `seconds` to
/// write. Throws only base::Interrupted.
FolderCheck check_folder(const std::string& folder, std::uint64_t most_bytes, double seconds,
                         base::Reporter& reporter);

}  // namespace shardmill::check
