#include "base/hash/crc32.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::base {
namespace {

/// Bit by bit, as a textbook divides.
std::uint32_t by_the_book(std::uint32_t state, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    state ^= std::to_integer<std::uint32_t>(byte) << 24;
    for (int bit = 0; bit < 8; ++bit) state = state << 1 ^ ((state >> 31) != 0 ? 0x04c11db7U : 0U);
  }
  return state;
}

class Crc32Test : public ::testing::TestWithParam<VectorPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, Crc32Test, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

TEST_P(Crc32Test, HasTheKnownCheckValue) {
  EXPECT_EQ(~update_crc32(GetParam(), 0xffffffff, base::as_bytes(std::string_view("123456789"))),
            0xfc891918u);
}

TEST_P(Crc32Test, HasTheKnownCheckValueOfOgg) {
  EXPECT_EQ(update_crc32(GetParam(), 0, base::as_bytes(std::string_view("123456789"))), 0x89a1897fu);
}

TEST_P(Crc32Test, IsAsByTheBookAtEveryLengthAndPlace) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(700);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (std::size_t begin = 0; begin < 17; ++begin) {
    for (std::size_t size = 0; begin + size <= bytes.size(); ++size) {
      const auto span = std::span(bytes).subspan(begin, size);
      const auto state = static_cast<std::uint32_t>(random());
      ASSERT_EQ(update_crc32(GetParam(), state, span), by_the_book(state, span)) << begin << " " << size;
    }
  }
}

TEST_P(Crc32Test, GoesOnAnywhere) {
  std::mt19937 random(2);
  std::vector<std::byte> bytes(100'000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  const std::uint32_t whole = by_the_book(0xffffffff, bytes);
  for (int round = 0; round < 20; ++round) {
    std::uint32_t state = 0xffffffff;
    for (std::span<const std::byte> rest = bytes; !rest.empty();) {
      const std::size_t step = std::min<std::size_t>(rest.size(), random() % 3000);
      state = update_crc32(GetParam(), state, rest.first(step));
      rest = rest.subspan(step);
    }
    EXPECT_EQ(state, whole);
  }
}

}  // namespace
}  // namespace shardmill::base
