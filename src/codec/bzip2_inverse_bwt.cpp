#include "shardmill/codec/bzip2_inverse_bwt.hpp"

#include <array>

#include "shardmill/codec/bzip2_block.hpp"

namespace shardmill::codec {

// An entry of the table: the byte of a row in the low 8 bits, the next row above.
struct InverseBwt::Tables {
  std::array<std::uint32_t, kBzip2MaxBlockBytes> rows;
};

InverseBwt::InverseBwt() : tables_(new Tables) {}
InverseBwt::~InverseBwt() = default;

void InverseBwt::sort(std::span<const std::uint8_t> last_column) {
  std::array<std::uint32_t, 256> next{};
  for (const std::uint8_t byte : last_column) ++next[byte];
  std::uint32_t sum = 0;
  for (std::uint32_t& count : next) {
    const std::uint32_t first = sum;
    sum += count;
    count = first;
  }
  for (std::uint32_t i = 0; i < last_column.size(); ++i) {
    tables_->rows[next[last_column[i]]++] = i << 8 | last_column[i];
  }
}

void InverseBwt::walk(std::uint32_t origin, std::span<std::byte> out) {
  std::uint32_t row = origin;
  for (std::byte& byte : out) {
    const std::uint32_t entry = tables_->rows[row];
    byte = static_cast<std::byte>(entry);
    row = entry >> 8;
  }
}

}  // namespace shardmill::codec
