// The files of a dataset that SHA256SUMS does not name: data.list, run.json, the report, rank lists, and
// indexes that say where the dataset lies.
#pragma once

#include <set>
#include <string>

#include "base/reporter.hpp"

namespace shardmill::repair {

/// Those that are missing or do not fit the other files. Throws NewerFormat.
std::set<std::string> bad_unsummed_files(const std::string& folder, base::Reporter& reporter);

}  // namespace shardmill::repair
