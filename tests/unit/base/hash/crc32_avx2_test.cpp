#if defined(__x86_64__)

#include <gtest/gtest.h>

#include <span>

#include "base/hash/crc32.hpp"
#include "support/bytes.hpp"
#include "support/vector_path.hpp"

namespace shardmill::base {
namespace {

TEST(Crc32Avx2Test, IsWhatTheTablesGiveFromAnyState) {
  if (!shardmill::testing::can_run(VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  const Bytes bytes = shardmill::testing::random_bytes(600, 5);
  for (const std::uint32_t state : {0U, 0xffffffffU, 0x80000000U, 0x12345678U}) {
    // From two steps of 64 bytes on, products of polynomials are used.
    for (std::size_t size = 0; size <= bytes.size(); size += size < 300 ? 1 : 13) {
      const auto some = std::span(bytes).last(size);
      ASSERT_EQ(update_crc32_avx2(state, some), update_crc32_portable(state, some)) << size;
    }
  }
}

TEST(Crc32Avx2Test, EveryBitCounts) {
  if (!shardmill::testing::can_run(VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  Bytes bytes(200);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<std::byte>(1U << bit % 8);
    ASSERT_EQ(update_crc32_avx2(0, bytes), update_crc32_portable(0, bytes)) << bit;
    ASSERT_NE(update_crc32_avx2(0, bytes), 0U) << bit;
    bytes[bit / 8] = std::byte{0};
  }
}

}  // namespace
}  // namespace shardmill::base

#endif
