// The path that stands for all spellings of it, links left as they are.
#pragma once

#include <string>

namespace shardmill::source {

/// Absolute, without ".", ".." and a slash at the end.
std::string normal_path(const std::string& path);

}  // namespace shardmill::source
