#include "codec/gzip/checksum.hpp"

namespace shardmill::codec {

std::uint32_t gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return plain_gzip_crc(crc, bytes);
}

std::optional<std::string> isal_library_version() {
  return std::nullopt;
}

}  // namespace shardmill::codec
