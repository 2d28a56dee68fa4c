#include <isa-l/erasure_code.h>

#include "codec/erasure/sums.hpp"

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
  // The library only reads the tables and the input, but takes pointers to what might be written.
  std::vector<unsigned char*> inputs;
  std::vector<unsigned char*> outputs;
  for (const std::byte* piece : from)
    inputs.push_back(const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece)));
  for (std::byte* piece : to) outputs.push_back(reinterpret_cast<unsigned char*>(piece));
  ::ec_encode_data(static_cast<int>(bytes), static_cast<int>(from.size()), static_cast<int>(to.size()),
                   const_cast<unsigned char*>(prepared.data()), inputs.data(), outputs.data());
}

}  // namespace shardmill::codec
