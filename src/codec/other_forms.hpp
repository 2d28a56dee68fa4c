// Compressed files that are known by their first bytes, and not read.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace shardmill::codec {

/// Throws Error, which names the form and a program that reads it, when `first` begins such a file. Without
/// this it would count as a tar that is damaged.
void check_other_forms(const std::string& path, std::span<const std::byte> first);

}  // namespace shardmill::codec
