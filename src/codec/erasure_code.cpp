#include "codec/erasure_code.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace shardmill::codec {

namespace {

using Row = std::vector<std::uint8_t>;
using Matrix = std::vector<Row>;

/// The factors that make a piece from the data pieces.
Row row_of(std::uint32_t piece, std::uint32_t data) {
  Row row(data, 0);
  for (std::uint32_t i = 0; i < data; ++i)
    row[i] = piece < data ? static_cast<std::uint8_t>(piece == i) : parity_coefficient(i, piece - data);
  return row;
}

void add_multiple(Row& to, const Row& from, std::uint8_t factor) {
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<std::uint8_t>(to[i] ^ field_product(from[i], factor));
}

void scale(Row& row, std::uint8_t factor) {
  for (std::uint8_t& value : row) value = field_product(value, factor);
}

/// By Gauss and Jordan. Every square part of this code's matrix has an inverse.
Matrix inverse(Matrix matrix) {
  const std::size_t size = matrix.size();
  Matrix result(size, Row(size, 0));
  for (std::size_t i = 0; i < size; ++i) result[i][i] = 1;
  for (std::size_t column = 0; column < size; ++column) {
    const auto pivot = std::find_if(matrix.begin() + static_cast<std::ptrdiff_t>(column), matrix.end(),
                                    [&](const Row& row) { return row[column] != 0; });
    if (pivot == matrix.end()) throw Error("a piece was named twice");
    const auto found = static_cast<std::size_t>(pivot - matrix.begin());
    std::swap(matrix[column], matrix[found]);
    std::swap(result[column], result[found]);
    const std::uint8_t factor = field_inverse(matrix[column][column]);
    scale(matrix[column], factor);
    scale(result[column], factor);
    for (std::size_t other = 0; other < size; ++other) {
      const std::uint8_t share = matrix[other][column];
      if (other == column || share == 0) continue;
      add_multiple(matrix[other], matrix[column], share);
      add_multiple(result[other], result[column], share);
    }
  }
  return result;
}

Row product(const Row& row, const Matrix& matrix) {
  Row result(matrix.size(), 0);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != 0) add_multiple(result, matrix[i], row[i]);
  }
  return result;
}

}  // namespace

std::uint8_t parity_coefficient(std::uint32_t data, std::uint32_t parity) {
  return field_inverse(static_cast<std::uint8_t>((255 - parity) ^ data));
}

ErasureMap::ErasureMap(std::uint32_t data, const std::vector<std::uint32_t>& from,
                       const std::vector<std::uint32_t>& to)
    : inputs_(from.size()), outputs_(to.size()) {
  const auto is_piece = [&](std::uint32_t piece) { return piece < data + kMostParityPieces; };
  if (data == 0 || data > kMostDataPieces || from.size() != data || to.empty() ||
      !std::all_of(from.begin(), from.end(), is_piece) || !std::all_of(to.begin(), to.end(), is_piece))
    throw Error("there is no erasure code of this shape");
  Matrix rows;
  for (const std::uint32_t piece : from) rows.push_back(row_of(piece, data));
  const Matrix to_data = inverse(std::move(rows));
  std::vector<std::uint8_t> coefficients;
  for (const std::uint32_t piece : to) {
    const Row row = product(row_of(piece, data), to_data);
    coefficients.insert(coefficients.end(), row.begin(), row.end());
  }
  prepared_ = prepared_factors(std::move(coefficients), outputs_);
}

void ErasureMap::apply(std::span<const std::byte* const> from, std::span<std::byte* const> to,
                       std::size_t bytes) const {
  if (from.size() != inputs_ || to.size() != outputs_ || bytes > std::numeric_limits<int>::max())
    throw Error("the erasure code is for other pieces");
  if (bytes == 0) return;
  weighted_sums(prepared_, from, to, bytes);
}

namespace {

constexpr std::size_t kNonZero = 255;

/// Every element but 0 is a power of 2, so a product is a sum of exponents.
struct Powers {
  std::array<std::uint8_t, 2 * kNonZero> of_two{};  // twice around: the sum of two exponents stays inside
  std::array<std::uint8_t, kNonZero + 1> exponent{};
};

constexpr Powers powers() {
  Powers result;
  unsigned power = 1;
  for (std::size_t i = 0; i < kNonZero; ++i) {
    result.of_two[i] = result.of_two[i + kNonZero] = static_cast<std::uint8_t>(power);
    result.exponent[power] = static_cast<std::uint8_t>(i);
    power <<= 1U;
    if (power > kNonZero) power ^= 0x11dU;
  }
  return result;
}

constexpr Powers kPowers = powers();

}  // namespace

std::uint8_t field_product(std::uint8_t a, std::uint8_t b) noexcept {
  if (a == 0 || b == 0) return 0;
  return kPowers.of_two[std::size_t{kPowers.exponent[a]} + kPowers.exponent[b]];
}

std::uint8_t field_inverse(std::uint8_t a) noexcept {
  return kPowers.of_two[kNonZero - kPowers.exponent[a]];
}

namespace {

constexpr std::size_t kStretchBytes = 4096;  // it stays in the nearest cache
using Stretch = std::array<std::uint8_t, kStretchBytes>;

// Compilers make vector instructions of both loops.
void add_to(std::uint8_t* sum, const Stretch& stretch, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) sum[i] = static_cast<std::uint8_t>(sum[i] ^ stretch[i]);
}

void double_each(Stretch& stretch) {
  for (std::uint8_t& value : stretch)
    value = static_cast<std::uint8_t>((value << 1) ^ ((value & 0x80) != 0 ? 0x1d : 0));
}

}  // namespace

void plain_weighted_sums(std::span<const std::uint8_t> factors, std::span<const std::byte* const> from,
                         std::span<std::byte* const> to, std::size_t bytes) {
  Stretch multiple{};
  for (std::size_t begin = 0; begin < bytes; begin += kStretchBytes) {
    const std::size_t size = std::min(kStretchBytes, bytes - begin);
    for (std::byte* output : to) std::memset(output + begin, 0, size);
    for (std::size_t input = 0; input < from.size(); ++input) {
      std::memcpy(multiple.data(), from[input] + begin, size);
      for (unsigned bit = 0; bit < 8; ++bit) {
        for (std::size_t output = 0; output < to.size(); ++output) {
          if ((factors[output * from.size() + input] >> bit & 1) != 0)
            add_to(reinterpret_cast<std::uint8_t*>(to[output] + begin), multiple, size);
        }
        double_each(multiple);
      }
    }
  }
}

}  // namespace shardmill::codec
