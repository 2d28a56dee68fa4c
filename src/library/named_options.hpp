// Options of repack by the names that the command line has for them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "repack/options.hpp"

namespace shardmill::library {

std::vector<std::string> repack_option_names();

/// Sets `named` on top of what `options` says. Throws UsageError for a value that makes no sense.
void apply(const std::vector<std::pair<std::string, std::string>>& named, repack::RepackOptions& options);

}  // namespace shardmill::library
