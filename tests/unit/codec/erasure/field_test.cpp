#include "codec/erasure/field.hpp"

#include <gtest/gtest.h>

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
}  // namespace shardmill::codec
