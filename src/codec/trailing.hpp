// Messages about bytes that follow the last compressed stream of a file and are not zeros.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace shardmill::codec {

/// The error. Such bytes are damage: they may be another stream whose magic was destroyed, with all its data.
Error trailing_damage(const std::string& path, std::uint64_t offset);

/// The warning, when the user wants such bytes ignored.
Error trailing_ignored(const std::string& path, std::uint64_t offset);

}  // namespace shardmill::codec
