// number_range: a run of numbers in a name, as shells, WebDataset and NeMo write it, made the single names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

/// Where "{0..9}" or NeMo's "_OP_0..9_CL_" begins in `path`; nullopt when it has neither.
std::optional<std::size_t> find_number_range(std::string_view path);

/// "a_{08..10}.tar" becomes a_08.tar, a_09.tar, a_10.tar; several ranges are all combined, the last one runs
/// fastest. A path without a range stays alone. Throws UsageError for a range of too many numbers.
std::vector<std::string> expand_number_ranges(const std::string& path);

}  // namespace shardmill::source
