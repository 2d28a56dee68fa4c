#include "codec/gzip/second_opinion.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "codec/codec_files.hpp"
#include "codec/gzip/gzip_oracle.hpp"

namespace shardmill::codec {
namespace {

TEST(GzipSecondOpinion, ZlibReadsOnInsideABlock) {
  const std::string file = testing::gzip_member(testing::text_like(60'000), {.memory_level = 9});
  const auto in = std::as_bytes(std::span(file));
  std::vector<std::uint8_t> plain(100'000);
  DeflateDecoder deflate;
  std::uint64_t bit = 80;
  for (const std::size_t room : {400U, 3'000U, 40'000U}) {
    DeflateOutput<std::uint8_t> out{plain.data(), plain.data(), plain.data() + room};
    deflate.begin();
    bit = 80;
    ASSERT_EQ(deflate.decode(in, bit, out), DeflateEnd::room);
    const auto all = std::span<const std::uint8_t>(plain.data(), out.next);
    const auto window = all.last(std::min(all.size(), kDeflateWindowBytes));
    EXPECT_FALSE(gzip_second_opinion(deflate, in, bit, window).is_damage) << room;
  }
}

TEST(GzipSecondOpinion, ZlibFindsTheDamageThere) {
  std::string file = testing::gzip_member(testing::text_like(60'000), {});
  file[10] = static_cast<char>(file[10] | 6);  // no kind of block
  const auto in = std::as_bytes(std::span(file));
  const GzipVerdict verdict = gzip_second_opinion(DeflateDecoder(), in, 80, {});
  EXPECT_TRUE(verdict.is_damage);
  EXPECT_EQ(verdict.problem, "invalid block type");
  EXPECT_EQ(verdict.consumed_bytes, 11U);
}

}  // namespace
}  // namespace shardmill::codec
