#include "codec/bzip2/second_opinion.hpp"

#include <gtest/gtest.h>

#include <array>

#include "codec/bzip2/block_header.hpp"
#include "codec/codec_files.hpp"

namespace shardmill::codec {
namespace {

using testing::text_like;
using testing::through;

constexpr std::uint64_t kHeaderBits = 32;

std::string read_all(Bzip2SecondOpinion& opinion) {
  std::string plain;
  std::array<std::byte, 1000> some;
  for (std::size_t got = some.size(); got == some.size();) {
    got = opinion.read(some);
    plain.append(reinterpret_cast<const char*>(some.data()), got);
  }
  return plain;
}

TEST(Bzip2SecondOpinion, ReadsABlockByItself) {
  for (const std::string& plain : {std::string("a"), text_like(50'000)}) {
    const std::string file = through("bzip2 -1c", plain);
    const auto bytes = base::as_bytes(file);
    const auto opinion = Bzip2SecondOpinion::ask(bytes, kHeaderBits, 1);
    ASSERT_TRUE(opinion);
    EXPECT_EQ(read_all(*opinion), plain);
    EXPECT_EQ(opinion->end_bit(), find_bzip2_end(bytes, 0));
  }
}

TEST(Bzip2SecondOpinion, ReadsEachBlockOfAStream) {
  const std::string plain = testing::noise(150'000);
  const std::string file = through("bzip2 -1c", plain);
  const auto bytes = base::as_bytes(file);
  const auto first = Bzip2SecondOpinion::ask(bytes, kHeaderBits, 1);
  ASSERT_TRUE(first);
  const auto second = Bzip2SecondOpinion::ask(bytes, first->end_bit(), 1);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->end_bit(), find_bzip2_block(bytes, kHeaderBits + 1));
  EXPECT_TRUE(read_all(*first) + read_all(*second) == plain);
}

TEST(Bzip2SecondOpinion, RejectsWhatLibbz2Rejects) {
  std::string file = through("bzip2 -1c", text_like(50'000));
  EXPECT_FALSE(Bzip2SecondOpinion::ask(base::as_bytes(file).first(file.size() - 20), kHeaderBits, 1));
  file[file.size() / 2] = static_cast<char>(file[file.size() / 2] ^ 4);
  EXPECT_FALSE(Bzip2SecondOpinion::ask(base::as_bytes(file), kHeaderBits, 1));
}

}  // namespace
}  // namespace shardmill::codec
