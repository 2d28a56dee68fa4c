#include "codec/gzip/checksum.hpp"

#include <fmt/format.h>
#include <isa-l.h>
#include <zlib.h>

namespace shardmill::codec {

std::uint32_t gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::uint32_t joined_gzip_crc(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return static_cast<std::uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

std::string isal_library_version() {
  return fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
}

}  // namespace shardmill::codec
