// Inventory: which files a dataset should have, by their checksums, and which of them are missing or damaged.
// The checksums of the files in a dataset, the recorded ones that they should have, and the files that have
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::repair {

struct Inventory {
  std::map<std::string, std::string> wanted;  // SHA-256 by name, of all that has one and is known
  std::set<std::string> bad;                  // missing or damaged
  bool knows_all_checksums = true;  // false: something is there, and nothing tells whether it is whole
  std::uint64_t files = 0;          // that were read
  std::uint64_t bytes = 0;
};

/// Reads all files. If records contradict each other, the one that agrees with the file is right.
/// Throws NewerFormat.
Inventory take_inventory(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter);

struct HashedFile {
  std::string sha256;      // empty: there is no such file, or it cannot be read
  bool is_sealed = false;  // a parity file that is as it was written
  std::uint64_t bytes = 0;
};

/// Bytes that hash_file() holds at a time.
inline constexpr std::size_t kHashStepBytes = 1 << 20;

/// Throws Error for a file that cannot be read, and Interrupted. Files may be hashed in several threads.
HashedFile hash_file(const std::string& path, base::Reporter& reporter);

/// The checksum that a file should have. `recorded`: its checksums in the records, SHA256SUMS first; `found`:
/// the checksum of the file as it is now. A record may be damaged as files are, so a recorded checksum with a
/// few wrong digits counts as the one that it is nearly equal to: no damage makes a file fit another
/// checksum. Returns nullopt if no record has one.
std::optional<std::string> wanted_checksum(const std::vector<std::string>& recorded,
                                           const std::string& found);

/// The files that SHA256SUMS does not name (data.list, run.json, the report, rank lists, and indexes with the
/// place of the dataset) that are missing or do not fit the other files. Throws NewerFormat.
std::set<std::string> bad_unsummed_files(const std::string& folder, base::Reporter& reporter);

}  // namespace shardmill::repair
