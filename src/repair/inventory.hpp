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

/// Reads all files. If records contradict each other, the one that agrees with the file is right.
/// Throws NewerFormat.
Inventory take_inventory(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::repair
