#include <fmt/format.h>
#include <isa-l.h>

#include "codec/gzip/checksum.hpp"

namespace shardmill::codec {

std::uint32_t gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::optional<std::string> isal_library_version() {
  return fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
}

}  // namespace shardmill::codec
