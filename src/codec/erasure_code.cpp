#include "codec/erasure_code.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "codec/erasure/sums.hpp"

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

}  // namespace shardmill::codec
