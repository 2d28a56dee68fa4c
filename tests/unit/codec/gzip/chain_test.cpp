#include "codec/gzip/chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "codec/gzip/gzip_oracle.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using testing::gzip_member;
using testing::text_like;

constexpr GzipSizes kSizes{.slice_bytes = 10'000, .overlap_bytes = 3'000, .plain_bytes = 60'000};

/// A file, cut into slots.
class GzipChainTest : public ::testing::Test {
 protected:
  void open(const std::string& content) {
    file_ = base::File::open_read(folder_.write("file", content));
    GzipSlices slices(Input(file_), 0, kSizes);
    slots_.clear();
    while (auto slice = slices.next()) slots_.push_back(std::make_shared<GzipSlot>(std::move(slice)));
  }

  /// What the slot gives, and whether any of it was decoded by guess.
  std::string read(GzipChain& chain, GzipSlot& slot) {
    std::string plain;
    while (!slot.is_complete()) {
      const auto fill = slot.take();
      if (!fill) {
        chain.refill(slot);
        continue;
      }
      fill->resolve();
      if (fill->failure) std::rethrow_exception(fill->failure);
      guessed_ = guessed_ || !fill->first.empty();
      plain.append(fill->first.begin(), fill->first.end());
      plain.append(fill->second.begin(), fill->second.end());
      if (fill->output.damage) damage_ = fill->output.damage->problem;
    }
    return plain;
  }
  std::string read_all(GzipChain& chain, std::size_t from = 0) {
    std::string plain;
    for (std::size_t i = from; i < slots_.size(); ++i) plain += read(chain, *slots_[i]);
    return plain;
  }

  const shardmill::testing::TemporaryFolder folder_;
  base::File file_;
  std::vector<std::shared_ptr<GzipSlot>> slots_;
  bool guessed_ = false;
  std::string damage_;
};

TEST_F(GzipChainTest, WhateverIsPreparedFirstTheBytesAreTheSame) {
  const std::string plain = text_like(1'500'000);
  const std::string content = gzip_member(plain, {.memory_level = 4});
  std::vector<std::size_t> order;
  for (int round = 0; round < 4; ++round) {
    open(content);
    ASSERT_GT(slots_.size(), 5U);
    order.resize(slots_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (round == 1) std::reverse(order.begin(), order.end());
    if (round >= 2) std::shuffle(order.begin(), order.end(), std::mt19937_64(static_cast<unsigned>(round)));
    GzipChain chain(kSizes);
    guessed_ = false;
    for (const std::size_t i : order) chain.prepare(slots_[i]);
    EXPECT_TRUE(read_all(chain) == plain) << round;
    EXPECT_TRUE(guessed_ || round == 0) << round;
  }
}

TEST_F(GzipChainTest, AnotherChainGoesOnAtAnySlot) {
  const std::string plain = text_like(600'000);
  const std::string content = gzip_member(plain, {.memory_level = 4});
  open(content);
  GzipChain first(kSizes);
  std::vector<std::vector<std::byte>> starts;
  std::vector<std::size_t> begins;
  std::size_t done = 0;
  for (const auto& slot : slots_) {
    starts.push_back(first.start(*slot));
    begins.push_back(done);
    first.prepare(slot);
    done += read(first, *slot).size();
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    open(content);
    base::BinaryReader in(starts[i]);
    GzipChain second(in, i, kSizes);
    for (std::size_t k = slots_.size(); k-- > i;) second.prepare(slots_[k]);
    EXPECT_TRUE(read_all(second, i) == plain.substr(begins[i])) << i;
  }
}

TEST_F(GzipChainTest, APlaceThatWasCutIsAnError) {
  open(gzip_member(text_like(600'000), {}));
  GzipChain chain(kSizes);
  for (std::size_t i = 0; i < 3; ++i) {
    chain.prepare(slots_[i]);
    read(chain, *slots_[i]);
  }
  const auto start = chain.start(*slots_[3]);
  for (std::size_t size = 0; size < start.size(); size += 1 + size / 8) {
    const std::vector<std::byte> cut(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(size));
    base::BinaryReader in(cut);
    EXPECT_THROW(GzipChain(in, 3, kSizes), Error) << size;
  }
}

TEST_F(GzipChainTest, DamageIsToldOnceAndNothingFollows) {
  std::string content = gzip_member(text_like(600'000), {.memory_level = 4});
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 0x55);
  open(content);
  GzipChain chain(kSizes);
  for (std::size_t i = slots_.size(); i-- > 0;) chain.prepare(slots_[i]);
  const auto verdict = testing::zlib_verdict(content);
  EXPECT_TRUE(read_all(chain) == verdict.plain);
  // Where the flipped bits only change plain bytes, the checksum alone tells, which the reader compares.
  if (!damage_.empty()) {
    EXPECT_EQ(damage_, verdict.problem);
  }
}

TEST_F(GzipChainTest, WhoGaveUpReadsNothingMore) {
  open(gzip_member(text_like(600'000), {}));
  GzipChain chain(kSizes);
  chain.prepare(slots_[0]);
  EXPECT_FALSE(read(chain, *slots_[0]).empty());
  chain.give_up();
  for (std::size_t i = 1; i < slots_.size(); ++i) chain.prepare(slots_[i]);
  EXPECT_EQ(read_all(chain, 1), "");
}

TEST_F(GzipChainTest, AFileThatBecameShorterFailsWhereItEnds) {
  open(gzip_member(text_like(600'000), {}));
  GzipChain chain(kSizes);
  chain.prepare(slots_[0]);
  read(chain, *slots_[0]);
  std::filesystem::resize_file(folder_.file("file"), 15'000);
  chain.prepare(slots_[1]);
  EXPECT_THROW(read(chain, *slots_[1]), Error);
}

}  // namespace
}  // namespace shardmill::codec
