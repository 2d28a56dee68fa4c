// Words about damage that several codecs meet: bytes after the last stream, and bytes that were returned
// before their checksum turned out to be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shardmill::codec {

/// The error for bytes after the last compressed stream that are not zeros. They are damage: they may be
/// another stream with a destroyed magic, and all its data.
Error trailing_damage(const std::string& path, std::uint64_t offset);

/// The warning if the user wants such bytes ignored.
Error trailing_ignored(const std::string& path, std::uint64_t offset);

/// The number of bytes, of those already returned from the same stream, that may be wrong: all of them, or 0
/// if the file is only too short.
std::uint64_t doubtful_bytes(std::string_view problem, std::uint64_t delivered_bytes);

/// `problem`, with a remark if there are doubtful bytes.
std::string with_doubt(std::string problem, std::uint64_t delivered_bytes);

}  // namespace shardmill::codec
