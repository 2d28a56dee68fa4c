// The files in a folder and below it, in an order that is the same on every machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

/// The files whose names are `wanted`, in the order of their bytes, those of a folder before those of its
/// subfolders. Names that begin with a dot are skipped. Links are followed. Throws Error for a folder that
/// cannot be read, and for a link that leads back up.
std::vector<std::string> files_below(const std::string& folder,
                                     const std::function<bool(std::string_view name)>& wanted);

}  // namespace shardmill::source
