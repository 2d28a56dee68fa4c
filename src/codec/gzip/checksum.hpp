// The checksum of gzip: by ISA-L, where the program is built with it, several times as fast as zlib's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace shardmill::codec {

/// The checksum of a stretch that ends with `bytes`; `crc` is that of all before them (0: nothing).
std::uint32_t gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes);
/// The same by zlib. Every build has it, so that tests can compare the two.
std::uint32_t plain_gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes);
/// The checksum of two stretches one after the other, from the checksum of each.
std::uint32_t joined_gzip_crc(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

/// The version of ISA-L that this was compiled with; nothing where it was built without.
std::optional<std::string> isal_library_version();

}  // namespace shardmill::codec
