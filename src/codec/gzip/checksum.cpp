#include "codec/gzip/checksum.hpp"

#include <zlib.h>

namespace shardmill::codec {

std::uint32_t plain_gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  // No bytes may come with a null pointer, for which zlib returns its initial value.
  return bytes.empty() ? crc : static_cast<std::uint32_t>(crc32_z(crc, data, bytes.size()));
}

std::uint32_t joined_gzip_crc(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return static_cast<std::uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

}  // namespace shardmill::codec
