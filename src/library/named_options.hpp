// Options of repack by the names that they have on the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "repack/options.hpp"
#include "shardmill/convert.hpp"

namespace shardmill::library {

codec::Codec internal(Codec codec);

std::vector<std::string> repack_option_names();

/// Sets the `named` options in `options`. Throws UsageError for an unknown name or a value that is not valid.
void apply(const std::vector<std::pair<std::string, std::string>>& named, repack::RepackOptions& options);

}  // namespace shardmill::library
