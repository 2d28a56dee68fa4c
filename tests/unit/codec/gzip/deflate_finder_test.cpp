#include "codec/gzip/deflate_finder.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "codec/codec_files.hpp"
#include "codec/gzip/deflate_decoder.hpp"
#include "codec/gzip/gzip_oracle.hpp"

namespace shardmill::codec {
namespace {

using testing::gzip_member;
using testing::noise;
using testing::text_like;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// Compresses to half.
std::string words(std::size_t bytes) {
  std::mt19937_64 random(bytes);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random() % 1'000'000) + ' ';
  text.resize(bytes);
  return text;
}

/// Where the blocks of a file of one member begin; of all but the last.
std::vector<std::uint64_t> true_starts(const std::string& file) {
  std::vector<std::uint64_t> starts;
  std::vector<std::uint8_t> plain(std::size_t{8} << 20);
  DeflateOutput<std::uint8_t> out{plain.data(), plain.data(), plain.data() + plain.size()};
  DeflateDecoder decoder;
  std::uint64_t bit = testing::kGzipHeaderBits;
  for (DeflateEnd end = DeflateEnd::block; end == DeflateEnd::block;) {
    starts.push_back(bit);
    end = decoder.decode(bytes_of(file), bit, out);
  }
  starts.pop_back();
  return starts;
}

/// From behind each block on, the next one is found, and nothing before it.
void expect_all_found(const std::string& file) {
  const std::vector<std::uint64_t> starts = true_starts(file);
  ASSERT_GE(starts.size(), 3U);
  for (std::size_t i = 1; i < starts.size(); ++i) {
    const std::uint64_t from_byte = (starts[i - 1] + 10) / 8 + 1;
    const auto in = bytes_of(file).subspan(static_cast<std::size_t>(from_byte));
    const auto found = find_deflate_start(in, in.size() * 8);
    ASSERT_TRUE(found) << i;
    EXPECT_TRUE(same_deflate_start(in, starts[i] - from_byte * 8, found->bit)) << i << ": " << found->bit;
    EXPECT_FALSE(found->begins_member);
  }
}

TEST(DeflateFinder, FindsBlocksThatBringTheirCodes) {
  expect_all_found(gzip_member(words(900'000), {}));
  expect_all_found(gzip_member(words(200'000), {.level = 1, .memory_level = 2}));
}

TEST(DeflateFinder, FindsStoredBlocks) {
  expect_all_found(gzip_member(words(200'000), {.level = 0}));
  expect_all_found(gzip_member(words(300'000), {.flush_every = 60'000}));  // empty ones between
}

TEST(DeflateFinder, FindsMembers) {
  const std::string first = gzip_member(text_like(3'000), {});
  const std::string second = gzip_member(text_like(3'000, 2), {.full_header = true});
  const std::string file = first + second;
  const auto in = bytes_of(file).subspan(5);
  const auto found = find_deflate_start(in, in.size() * 8);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->begins_member);
  EXPECT_GT(found->bit / 8, first.size() - 5 + 300);  // behind the header with its 300 extra bytes
}

TEST(DeflateFinder, FindsLittleInNoise) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string file = noise(16'384, seed);
    if (find_deflate_start(bytes_of(file), file.size() * 8)) ++found;
  }
  EXPECT_LE(found, 8U);
}

TEST(DeflateFinder, StopsAtTheLimit) {
  const std::string file = gzip_member(words(900'000), {});
  const std::uint64_t second = true_starts(file)[1];
  const auto in = bytes_of(file).subspan(20);
  EXPECT_FALSE(find_deflate_start(in, second - 160));
  EXPECT_TRUE(find_deflate_start(in, second - 160 + 1));
}

}  // namespace
}  // namespace shardmill::codec
