#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "codec/erasure_code.hpp"

namespace shardmill::codec {

namespace {

/// Bit by bit, as it stands in textbooks.
unsigned textbook_product(unsigned a, unsigned b) {
  unsigned result = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) result ^= a;
    a <<= 1;
    if ((a & 0x100) != 0) a ^= 0x11d;
  }
  return result;
}

TEST(ErasureField, ProductsAreThoseOfTheTextbook) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b)
      ASSERT_EQ(field_product(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)),
                textbook_product(a, b))
          << a << " x " << b;
  }
}

TEST(ErasureField, AnElementTimesItsInverseIsOne) {
  for (unsigned a = 1; a < 256; ++a) {
    const auto element = static_cast<std::uint8_t>(a);
    ASSERT_EQ(textbook_product(a, field_inverse(element)), 1u) << a;
  }
}

}  // namespace

namespace {

using Bytes = std::vector<std::byte>;

std::vector<std::byte*> places_of(std::vector<Bytes>& pieces) {
  std::vector<std::byte*> places;
  for (Bytes& piece : pieces) places.push_back(piece.data());
  return places;
}

struct Shape {
  std::size_t inputs;
  std::size_t outputs;
  std::size_t bytes;
};

class PlainSums : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    const auto random_byte = [this] { return static_cast<std::uint8_t>(random_() & 0xff); };
    for (std::size_t i = 0; i < shape_.inputs; ++i) {
      in_.emplace_back(shape_.bytes);
      for (std::byte& each : in_.back()) each = std::byte{random_byte()};
      from_.push_back(in_.back().data());
    }
    for (std::size_t i = 0; i < shape_.inputs * shape_.outputs; ++i) factors_.push_back(random_byte());
    factors_.front() = 0;
  }
  /// Outputs hold something else before, and have a byte more that nobody may touch.
  std::vector<Bytes> untouched() const {
    return std::vector<Bytes>(shape_.outputs, Bytes(shape_.bytes + 1, kBefore));
  }

  std::byte sum(std::size_t output, std::size_t i) const {
    unsigned result = 0;
    for (std::size_t input = 0; input < shape_.inputs; ++input)
      result ^= field_product(factors_[output * shape_.inputs + input],
                              std::to_integer<std::uint8_t>(in_[input][i]));
    return std::byte{static_cast<std::uint8_t>(result)};
  }

  static constexpr std::byte kBefore{0xa5};
  Shape shape_ = GetParam();
  std::mt19937 random_{7};
  std::vector<Bytes> in_;
  std::vector<const std::byte*> from_;
  std::vector<std::uint8_t> factors_;
};

TEST_P(PlainSums, AreWhatTheFieldSays) {
  std::vector<Bytes> out = untouched();
  plain_weighted_sums(factors_, from_, places_of(out), shape_.bytes);
  for (std::size_t output = 0; output < shape_.outputs; ++output) {
    for (std::size_t i = 0; i < shape_.bytes; ++i)
      ASSERT_EQ(out[output][i], sum(output, i)) << output << ", " << i;
    ASSERT_EQ(out[output].back(), kBefore);
  }
}

// With ISA-L this compares the library with the plain way; without it there is only one way.
TEST_P(PlainSums, AreThoseOfTheBuild) {
  std::vector<Bytes> plain = untouched();
  std::vector<Bytes> built = untouched();
  plain_weighted_sums(factors_, from_, places_of(plain), shape_.bytes);
  weighted_sums(prepared_factors(factors_, shape_.outputs), from_, places_of(built), shape_.bytes);
  EXPECT_EQ(plain, built);
}

INSTANTIATE_TEST_SUITE_P(Shapes, PlainSums,
                         ::testing::Values(Shape{1, 1, 1}, Shape{2, 3, 31}, Shape{5, 1, 4096},
                                           Shape{3, 2, 4097}, Shape{128, 16, 300}, Shape{7, 4, 20000}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.inputs) + "To" +
                                  std::to_string(shape.param.outputs) + "Of" +
                                  std::to_string(shape.param.bytes);
                         });

}  // namespace

}  // namespace shardmill::codec
