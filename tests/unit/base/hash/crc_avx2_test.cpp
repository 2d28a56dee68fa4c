#if defined(__x86_64__)

#include <gtest/gtest.h>

#include <span>

#include "base/hash/crc.hpp"
#include "support/bytes.hpp"
#include "support/vector_path.hpp"

namespace shardmill::base {
namespace {

TEST(Crc16Avx2Test, IsWhatTheTablesGiveFromOneStepOn) {
  if (!shardmill::testing::can_run(VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  const Bytes bytes = shardmill::testing::random_bytes(700, 3);
  for (const std::size_t begin : {0U, 1U, 7U, 16U}) {
    for (std::size_t size = 64; begin + size <= bytes.size(); ++size) {
      const auto some = std::span(bytes).subspan(begin, size);
      ASSERT_EQ(crc16_avx2(some), crc16_by_table(0, some)) << begin << ", " << size;
    }
  }
}

TEST(Crc16Avx2Test, EveryBitCounts) {
  if (!shardmill::testing::can_run(VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  // Two steps of 64 bytes and a rest: one bit at a time, and so each place of each lane.
  Bytes bytes(150);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<std::byte>(1U << bit % 8);
    ASSERT_EQ(crc16_avx2(bytes), crc16_by_table(0, bytes)) << bit;
    ASSERT_NE(crc16_avx2(bytes), 0) << bit;
    bytes[bit / 8] = std::byte{0};
  }
}

TEST(Crc64Avx2Test, IsWhatTheTablesGiveFromOneStepOn) {
  if (!shardmill::testing::can_run(VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  const Bytes bytes = shardmill::testing::random_bytes(700, 5);
  for (const std::size_t begin : {0U, 1U, 7U, 16U}) {
    for (std::size_t size = 64; begin + size <= bytes.size(); ++size) {
      const auto some = std::span(bytes).subspan(begin, size);
      const std::uint64_t state = 0x0123456789abcdef * size;
      ASSERT_EQ(crc64_avx2(state, some), crc64_by_table(state, some)) << begin << ", " << size;
    }
  }
}

TEST(Crc64Avx2Test, EveryBitCounts) {
  if (!shardmill::testing::can_run(VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  Bytes bytes(150);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<std::byte>(1U << bit % 8);
    ASSERT_EQ(crc64_avx2(0, bytes), crc64_by_table(0, bytes)) << bit;
    ASSERT_NE(crc64_avx2(0, bytes), 0U) << bit;
    bytes[bit / 8] = std::byte{0};
  }
}

}  // namespace
}  // namespace shardmill::base

#endif
