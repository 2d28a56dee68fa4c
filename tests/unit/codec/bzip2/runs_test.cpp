#include "codec/bzip2/runs.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/hash/crc32.hpp"

namespace shardmill::codec {
namespace {

using Bytes = std::vector<std::byte>;

/// One byte at a time; `lacks_count` where four equal bytes end the block.
Bytes by_the_book(const Bytes& runs, bool& lacks_count) {
  Bytes out;
  unsigned equal = 0;
  for (const std::byte byte : runs) {
    if (equal == 4) {
      out.insert(out.end(), std::to_integer<std::size_t>(byte), out.back());
      equal = 0;
      continue;
    }
    equal = equal > 0 && byte == out.back() ? equal + 1 : 1;
    out.push_back(byte);
  }
  lacks_count = equal == 4;
  return out;
}

Bytes random_runs(std::mt19937& random) {
  Bytes runs(random() % 60);
  const auto letters = static_cast<unsigned>(
      1 + random() % 5);  // few, so that there are many runs, and counts like the letters
  for (std::byte& byte : runs) byte = static_cast<std::byte>(random() % letters);
  return runs;
}

class Bzip2RunsTest : public ::testing::TestWithParam<base::VectorPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, Bzip2RunsTest, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(name(path.param)); });

TEST_P(Bzip2RunsTest, UnfoldsAsByTheBookInStepsOfAnySize) {
  std::mt19937 random(9);
  for (int round = 0; round < 3000; ++round) {
    const Bytes runs = random_runs(random);
    bool lacks_count = false;
    const Bytes expected = by_the_book(runs, lacks_count);
    EXPECT_EQ(ends_before_a_count(runs), lacks_count) << round;
    Bzip2RunExpander expander(runs, GetParam());
    Bytes plain;
    Bytes step(1 + random() % 40);
    std::size_t got = step.size();
    while (got == step.size()) {
      got = expander.expand(step);
      plain.insert(plain.end(), step.begin(), step.begin() + static_cast<std::ptrdiff_t>(got));
    }
    ASSERT_TRUE(plain == expected) << round;
    ASSERT_EQ(expander.crc(), ~base::update_crc32_portable(0xffffffff, plain)) << round;
  }
}

TEST_P(Bzip2RunsTest, CountsOfZeroAndTheLargest) {
  const auto byte = [](unsigned value) { return static_cast<std::byte>(value); };
  const Bytes runs{byte(7), byte(7), byte(7), byte(7), byte(0),   byte(7),
                   byte(9), byte(9), byte(9), byte(9), byte(255), byte(9)};
  Bytes out(4 + 1 + 4 + 255 + 1 + 10);
  EXPECT_EQ(Bzip2RunExpander(runs, GetParam()).expand(out), out.size() - 10);
}

}  // namespace
}  // namespace shardmill::codec
