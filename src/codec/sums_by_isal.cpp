#include <fmt/format.h>
#include <isa-l.h>
#include <isa-l/erasure_code.h>

#include "codec/erasure_code.hpp"
#include "codec/formats.hpp"
#include "codec/gzip/header.hpp"

namespace shardmill::codec {

std::vector<std::uint8_t> prepared_factors(std::vector<std::uint8_t> factors, std::size_t outputs) {
  constexpr std::size_t kTableBytes = 32;
  std::vector<std::uint8_t> tables(kTableBytes * factors.size());
  ::ec_init_tables(static_cast<int>(factors.size() / outputs), static_cast<int>(outputs), factors.data(),
                   tables.data());
  return tables;
}

void weighted_sums(std::span<const std::uint8_t> prepared, std::span<const std::byte* const> from,
                   std::span<std::byte* const> to, std::size_t bytes) {
  // The library only reads the tables and the input, but takes non-const pointers.
  std::vector<unsigned char*> inputs;
  std::vector<unsigned char*> outputs;
  for (const std::byte* piece : from)
    inputs.push_back(const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece)));
  for (std::byte* piece : to) outputs.push_back(reinterpret_cast<unsigned char*>(piece));
  ::ec_encode_data(static_cast<int>(bytes), static_cast<int>(from.size()), static_cast<int>(to.size()),
                   const_cast<unsigned char*>(prepared.data()), inputs.data(), outputs.data());
}

std::uint32_t gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::optional<std::string> isal_library_version() {
  return fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
}

}  // namespace shardmill::codec
