#include "codec/bzip2/decoded_block.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/io/file.hpp"
#include "codec/bzip2/block_header.hpp"
#include "codec/bzip2_oracle.hpp"
#include "codec/codec_files.hpp"
#include "support/bytes.hpp"

namespace shardmill::codec {
namespace {

/// After the four bytes at the beginning of a file comes its first block.
constexpr std::uint64_t kFirstBlockBit = 32;

std::string all_bytes_of(DecodedBlock& block) {
  std::string plain;
  for (auto bytes = block.read(); !bytes.empty(); bytes = block.read())
    plain += shardmill::testing::text_of(bytes);
  return plain;
}

Bzip2BlockPlace place_in(const std::string& file, std::uint64_t bit = kFirstBlockBit) {
  return {.input = base::as_bytes(file), .start_bit = bit};
}

/// Zeros fold so well that one block holds 45 MB of them: more than a buffer.
std::string many_zeros() {
  return std::string(std::size_t{5} << 20, '\0') + "the end";
}

TEST(DecodedBlockTest, GivesTheBytesOnceAndWhereTheBlockEnds) {
  const std::string plain = testing::text_like(70'000);
  const std::string file = testing::through("bzip2 -1c", plain);
  DecodedBlock block;
  block.decode({}, place_in(file));
  ASSERT_EQ(block.state(), Bzip2Block::State::good);
  EXPECT_EQ(block.end_bit(), find_bzip2_end(base::as_bytes(file), 0));
  EXPECT_TRUE(all_bytes_of(block) == plain);
  EXPECT_TRUE(block.read().empty());
}

TEST(DecodedBlockTest, ABlockLargerThanTheBufferComesInSteps) {
  const std::string plain = many_zeros();
  const std::string file = testing::through("bzip2 -9c", plain);
  DecodedBlock block;
  block.decode({}, place_in(file));
  ASSERT_EQ(block.state(), Bzip2Block::State::good);
  EXPECT_EQ(block.read().size(), sizeof(PlainBuffer));
  DecodedBlock again;
  again.decode({}, place_in(file));
  EXPECT_TRUE(all_bytes_of(again) == plain);
}

TEST(DecodedBlockTest, AWrongChecksumIsKnownBeforeAnyByteIsRead) {
  for (const std::string& plain : {testing::text_like(1000), many_zeros()}) {
    std::string file = testing::through("bzip2 -9c", plain);
    testing::put_bits(file, kFirstBlockBit + 48, 0xdeadbeef, 32);
    DecodedBlock block;
    block.decode({}, place_in(file));
    EXPECT_EQ(block.state(), Bzip2Block::State::damaged);
    EXPECT_EQ(block.problem(), "damaged: wrong checksum of the block");
    EXPECT_EQ(block.crc(), 0xdeadbeefU);
  }
}

TEST(DecodedBlockTest, ABlockThatIsCutIsNotDamaged) {
  std::string file = testing::through("bzip2 -1c", testing::text_like(20'000));
  file.resize(file.size() / 2);
  DecodedBlock block;
  block.decode({}, place_in(file));
  EXPECT_EQ(block.state(), Bzip2Block::State::truncated);
  EXPECT_TRUE(block.read().empty());
}

TEST(DecodedBlockTest, FitsIntoStreamsOfItsLevelAndHigher) {
  const std::string file = testing::through("bzip2 -9c", testing::noise(250'000));
  DecodedBlock block;
  block.decode({}, place_in(file));
  ASSERT_EQ(block.state(), Bzip2Block::State::good);
  EXPECT_FALSE(block.fits(1));
  EXPECT_FALSE(block.fits(2));
  EXPECT_TRUE(block.fits(3));
  EXPECT_TRUE(block.fits(9));
}

TEST(DecodedBlockTest, TwoAtOnceAreAsOneAfterTheOther) {
  const std::string plain = testing::noise(150'000);
  const std::string file = testing::through("bzip2 -1c", plain);
  const std::uint64_t second_bit = find_bzip2_block(base::as_bytes(file), kFirstBlockBit + 1).value();
  DecodedBlock first;
  DecodedBlock second;
  DecodedBlock::decode({}, place_in(file), first, place_in(file, second_bit), second);
  ASSERT_EQ(first.state(), Bzip2Block::State::good);
  ASSERT_EQ(second.state(), Bzip2Block::State::good);
  EXPECT_EQ(first.end_bit(), second_bit);
  EXPECT_TRUE(all_bytes_of(first) + all_bytes_of(second) == plain);
}

TEST(DecodedBlockTest, OneOfTwoMayBeDamaged) {
  const std::string plain = testing::noise(150'000);
  std::string file = testing::through("bzip2 -1c", plain);
  const std::uint64_t second_bit = find_bzip2_block(base::as_bytes(file), kFirstBlockBit + 1).value();
  testing::put_bits(file, kFirstBlockBit + 48, 1, 32);
  DecodedBlock first;
  DecodedBlock second;
  DecodedBlock::decode({}, place_in(file), first, place_in(file, second_bit), second);
  EXPECT_EQ(first.state(), Bzip2Block::State::damaged);
  ASSERT_EQ(second.state(), Bzip2Block::State::good);
  EXPECT_TRUE(plain.ends_with(all_bytes_of(second)));
}

TEST(DecodedBlockTest, TheBytesOfLibbz2TakeThePlaceOfOurs) {
  for (const std::string& plain : {testing::text_like(5000), many_zeros()}) {
    const std::string file = testing::through("bzip2 -9c", plain);
    std::string damaged = file;
    testing::put_bits(damaged, kFirstBlockBit + 48, 1, 32);
    DecodedBlock block;
    const Bzip2DecodePools pools;
    block.decode(pools, place_in(damaged));
    ASSERT_EQ(block.state(), Bzip2Block::State::damaged);
    auto opinion = Bzip2SecondOpinion::ask(base::as_bytes(file), kFirstBlockBit, 9);
    ASSERT_TRUE(opinion);
    const std::uint32_t crc = opinion->crc();
    block.replace(pools, std::move(opinion));
    EXPECT_EQ(block.state(), Bzip2Block::State::good);
    EXPECT_EQ(block.crc(), crc);
    EXPECT_TRUE(all_bytes_of(block) == plain);
  }
}

TEST(DecodedBlockTest, WhatWasDroppedHasNoBytes) {
  const std::string file = testing::through("bzip2 -9c", many_zeros());
  DecodedBlock block;
  block.decode({}, place_in(file));
  block.drop();
  EXPECT_TRUE(block.read().empty());
}

}  // namespace
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
