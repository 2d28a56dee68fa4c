// Inventory: which files a dataset should have, by their checksums, and which of them are missing or damaged.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

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

/// Reads all files. Where records contradict each other, that one is right which agrees with what is there:
/// no damage makes a file fit another checksum. Throws NewerFormat.
Inventory take_inventory(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter);

/// Lists, the report and indexes that say where the dataset lies: other files tell what is missing or wrong.
std::set<std::string> bad_files_without_checksum(const std::string& folder, base::Reporter& reporter);

}  // namespace shardmill::repair
