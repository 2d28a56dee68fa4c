#include "codec/erasure_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "base/error.hpp"

namespace shardmill::codec {
namespace {

using Piece = std::vector<std::byte>;

/// Bit by bit, as it stands in textbooks: x^8 + x^4 + x^3 + x^2 + 1.
unsigned slow_product(unsigned a, unsigned b) {
  unsigned result = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) result ^= a;
    a <<= 1;
    if ((a & 0x100) != 0) a ^= 0x11d;
  }
  return result;
}

unsigned slow_inverse(unsigned a) {
  for (unsigned b = 1; b < 256; ++b) {
    if (slow_product(a, b) == 1) return b;
  }
  return 0;
}

unsigned slow_coefficient(unsigned data, unsigned parity) {
  return slow_inverse((255 - parity) ^ data);
}

std::vector<Piece> random_pieces(std::size_t count, std::size_t bytes, std::mt19937& random) {
  std::vector<Piece> pieces(count, Piece(bytes));
  for (Piece& piece : pieces) {
    for (std::byte& each : piece) each = static_cast<std::byte>(random() & 0xff);
  }
  return pieces;
}

void append_slow_parity(std::vector<Piece>& pieces, std::size_t parity) {
  const std::size_t data = pieces.size();
  for (std::size_t p = 0; p < parity; ++p) {
    Piece sum(pieces.front().size());
    for (std::size_t d = 0; d < data; ++d) {
      const unsigned factor = slow_coefficient(static_cast<unsigned>(d), static_cast<unsigned>(p));
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] ^= static_cast<std::byte>(slow_product(std::to_integer<unsigned>(pieces[d][i]), factor));
    }
    pieces.push_back(std::move(sum));
  }
}

std::vector<Piece> applied(const std::vector<Piece>& pieces, std::uint32_t data,
                           const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to) {
  const ErasureMap map(data, from, to);
  const std::size_t bytes = pieces.front().size();
  std::vector<const std::byte*> in;
  for (const std::uint32_t piece : from) in.push_back(pieces[piece].data());
  std::vector<Piece> results(to.size(), Piece(bytes));
  std::vector<std::byte*> out;
  for (Piece& result : results) out.push_back(result.data());
  map.apply(in, out, bytes);
  return results;
}

std::vector<std::uint32_t> numbers(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

TEST(ErasureCode, CoefficientsAreThoseOfTheTextbook) {
  for (std::uint32_t parity = 0; parity < kMostParityPieces; ++parity) {
    for (std::uint32_t data = 0; data < kMostDataPieces; ++data)
      ASSERT_EQ(parity_coefficient(data, parity), slow_coefficient(data, parity));
  }
}

TEST(ErasureCode, ParityIsWhatTheSlowWayMakes) {
  std::mt19937 random(1);
  for (const std::uint32_t data : {1U, 2U, 7U, 64U, 128U}) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{31}, std::size_t{1000}}) {
      std::vector<Piece> pieces = random_pieces(data, bytes, random);
      append_slow_parity(pieces, kMostParityPieces);
      const auto parity = applied(pieces, data, numbers(0, data), numbers(data, kMostParityPieces));
      for (std::size_t p = 0; p < parity.size(); ++p) ASSERT_EQ(parity[p], pieces[data + p]);
    }
  }
}

TEST(ErasureCode, AnyLossOfSoManyPiecesIsMadeGood) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::uint32_t data = 1 + random() % kMostDataPieces;
    const std::uint32_t parity = 1 + random() % kMostParityPieces;
    std::vector<Piece> pieces = random_pieces(data, 64, random);
    append_slow_parity(pieces, parity);
    std::vector<std::uint32_t> order = numbers(0, data + parity);
    std::shuffle(order.begin(), order.end(), random);
    const std::vector<std::uint32_t> lost(order.begin(), order.begin() + parity);
    const std::vector<std::uint32_t> whole(order.begin() + parity, order.end());
    const auto made = applied(pieces, data, whole, lost);
    for (std::size_t i = 0; i < lost.size(); ++i) ASSERT_EQ(made[i], pieces[lost[i]]) << round;
  }
}

TEST(ErasureCode, ImpossibleShapesAreErrors) {
  EXPECT_THROW(ErasureMap(0, {}, {0}), Error);
  EXPECT_THROW(ErasureMap(129, numbers(0, 129), {130}), Error);
  EXPECT_THROW(ErasureMap(2, {0}, {1}), Error);
  EXPECT_THROW(ErasureMap(2, {0, 0}, {1}), Error);
  EXPECT_THROW(ErasureMap(2, {0, 18}, {1}), Error);
  EXPECT_THROW(ErasureMap(2, {0, 1}, {}), Error);
  const ErasureMap map(1, {0}, {1});
  EXPECT_THROW(map.apply({}, {}, 1), Error);
}

}  // namespace
}  // namespace shardmill::codec
