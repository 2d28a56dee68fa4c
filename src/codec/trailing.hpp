// What is said of bytes that stand after the last compressed stream of a file and are not zeros.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace shardmill::codec {

/// It is damage: the magic of a further stream may have been hit, and with it all data from there on.
Error trailing_damage(const std::string& path, std::uint64_t offset);

/// The warning, where the user wants such bytes ignored.
Error trailing_ignored(const std::string& path, std::uint64_t offset);

}  // namespace shardmill::codec
