#include "codec/erasure_code.hpp"
#include "codec/formats.hpp"
#include "codec/gzip/header.hpp"

namespace shardmill::codec {

std::vector<std::uint8_t> prepared_factors(std::vector<std::uint8_t> factors, std::size_t) {
  return factors;
}

void weighted_sums(std::span<const std::uint8_t> prepared, std::span<const std::byte* const> from,
                   std::span<std::byte* const> to, std::size_t bytes) {
  plain_weighted_sums(prepared, from, to, bytes);
}

std::uint32_t gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return plain_gzip_crc(crc, bytes);
}

std::optional<std::string> isal_library_version() {
  return std::nullopt;
}

}  // namespace shardmill::codec
