#include "codec/gzip/chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
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
namespace {

using testing::gzip_member;
using testing::text_like;

constexpr std::size_t kRoom = GzipSizes::kPlainBytes;

/// A file of one member, and guesses of what stands in it from some byte on.
class GzipGuessTest : public ::testing::Test {
 protected:
  void pack(std::string plain, const testing::DeflateWay& way = {}) {
    plain_ = std::move(plain);
    file_ = gzip_member(plain_, way);
  }

  std::unique_ptr<GzipGuess> guess_from(std::size_t offset,
                                        std::uint64_t stop_bit = std::numeric_limits<std::uint64_t>::max(),
                                        std::size_t room = kRoom) {
    const auto rest = base::as_bytes(std::string_view(file_).substr(offset));
    return GzipGuess::make({.bytes = rest, .offset = offset, .last = true}, stop_bit, room, *buffers_);
  }

  /// The last bytes before a guess: found by trying where its bytes stand in all of them.
  std::vector<std::uint8_t> window_before(std::size_t place) const {
    const std::size_t begin = place < kDeflateWindowBytes ? 0 : place - kDeflateWindowBytes;
    return {plain_.begin() + static_cast<std::ptrdiff_t>(begin),
            plain_.begin() + static_cast<std::ptrdiff_t>(place)};
  }

  /// How many plain bytes come before bit `bit`, by decoding up to there.
  std::size_t plain_bytes_before(std::uint64_t bit) const {
    std::vector<std::uint8_t> room(kDeflateWindowBytes + plain_.size() + 1000);
    GzipOutput out;
    out.next = room.data() + kDeflateWindowBytes;
    out.end = room.data() + room.size();
    GzipDecoder decoder;
    decoder.decode({.bytes = base::as_bytes(file_), .offset = 0, .last = true},
                   std::numeric_limits<std::uint64_t>::max(), bit, out);
    return static_cast<std::size_t>(out.next - room.data()) - kDeflateWindowBytes;
  }

  std::string text(GzipGuess& guess, const std::vector<std::uint8_t>& window) {
    const auto first = guess.resolve(window);
    return std::string(first.begin(), first.end()) + std::string(guess.plain.begin(), guess.plain.end());
  }

  std::string plain_;
  std::string file_;
  std::shared_ptr<GzipBufferPool> buffers_ = GzipBufferPool::make();
};

TEST_F(GzipGuessTest, WithTheWindowBeforeItItGivesTheRest) {
  for (const int level : {1, 6, 9}) {
    pack(text_like(700'000), {.level = level, .memory_level = 4});
    const auto guess = guess_from(file_.size() / 3);
    ASSERT_TRUE(guess);
    EXPECT_FALSE(guess->begins_member);
    const std::size_t before = plain_bytes_before(guess->start_bit);
    ASSERT_GT(before, kDeflateWindowBytes);
    const auto window = window_before(before);
    ASSERT_TRUE(guess->fits(window));
    EXPECT_TRUE(guess->join(window).empty());  // The member has ended.
    EXPECT_TRUE(text(*guess, window) == plain_.substr(before)) << level;
    EXPECT_EQ(guess->output.stretches.size(), 2U);
    EXPECT_EQ(guess->output.stretches.front().stored_size, plain_.size());
  }
}

TEST_F(GzipGuessTest, TheWindowBehindItIsThatOfItsLastBytes) {
  // It stops early; with few symbols, with many, and where bytes stand behind them.
  pack(text_like(2'500'000), {.memory_level = 2});
  const std::size_t from = file_.size() / 4;
  for (const std::uint64_t more : {3'000U, 20'000U, 60'000U}) {
    const auto guess = guess_from(from, 8 * (from + more));
    ASSERT_TRUE(guess) << more;
    EXPECT_EQ(guess->end, GzipEnd::block);
    const std::size_t before = plain_bytes_before(guess->start_bit);
    const auto window = window_before(before);
    const std::size_t size = guess->symbols.size() + guess->plain.size();
    const auto behind = guess->join(window);
    EXPECT_EQ(behind, window_before(before + size)) << more;
    EXPECT_TRUE(text(*guess, window) == plain_.substr(before, size)) << more;
  }
}

TEST_F(GzipGuessTest, AWindowThatIsTooShortDoesNotFit) {
  // Everything is a copy from far back: markers for the bytes at the window's beginning must come.
  std::string far = testing::noise(30'000);
  for (int i = 0; i < 12; ++i) far += far.substr(far.size() - 30'000, 30'000);
  pack(far, {.memory_level = 8, .flush_every = 5'000, .flush = Z_SYNC_FLUSH});
  const auto guess = guess_from(file_.size() - 3'000);
  ASSERT_TRUE(guess);
  const std::size_t before = plain_bytes_before(guess->start_bit);
  auto window = window_before(before);
  EXPECT_TRUE(guess->fits(window));
  window.erase(window.begin(), window.end() - 1000);
  EXPECT_FALSE(guess->fits(window));
  EXPECT_FALSE(guess->fits({}));
}

TEST_F(GzipGuessTest, AMemberBeginsWithoutAnyWindow) {
  const std::string second = text_like(50'000, 2);
  pack(text_like(50'000));
  const std::size_t first_bytes = file_.size();
  file_ += gzip_member(second, {});
  const auto guess = guess_from(first_bytes - 4);
  ASSERT_TRUE(guess);
  EXPECT_TRUE(guess->begins_member);
  EXPECT_EQ(guess->start_bit, 8 * (first_bytes + 10));
  EXPECT_TRUE(guess->fits({}));
  EXPECT_FALSE(guess->fits(std::vector<std::uint8_t>(1)));
  EXPECT_TRUE(guess->symbols.empty());
  EXPECT_TRUE(text(*guess, {}) == second);
}

TEST_F(GzipGuessTest, RoomThatIsSmallIsUsedUpAndNoMore) {
  pack(text_like(900'000), {.memory_level = 4});
  for (const std::size_t room : {std::size_t{2'000}, std::size_t{100'000}, std::size_t{300'000}}) {
    const auto guess = guess_from(file_.size() / 4, std::numeric_limits<std::uint64_t>::max(), room);
    ASSERT_TRUE(guess) << room;
    EXPECT_EQ(guess->end, GzipEnd::room) << room;
    EXPECT_LE(guess->symbols.size_bytes() + guess->plain.size(), room);
    const std::size_t before = plain_bytes_before(guess->start_bit);
    const std::size_t size = guess->symbols.size() + guess->plain.size();
    EXPECT_TRUE(text(*guess, window_before(before)) == plain_.substr(before, size)) << room;
  }
}

TEST_F(GzipGuessTest, WhereNoBlockCanBeFoundThereIsNone) {
  file_ = testing::noise(20'000);
  EXPECT_FALSE(guess_from(0));
  file_.assign(20'000, '\0');
  EXPECT_FALSE(guess_from(0));
  file_.clear();
  EXPECT_FALSE(guess_from(0));
  // One block of fixed codes: its beginning looks like anything.
  pack(text_like(100'000), {.strategy = Z_FIXED});
  EXPECT_FALSE(guess_from(1000));
}

TEST_F(GzipGuessTest, BlocksThatAreDamagedAreNoGuess) {
  pack(text_like(200'000), {.memory_level = 4});
  const std::size_t from = file_.size() / 3;
  const auto good = guess_from(from);
  ASSERT_TRUE(good);
  // Too little of a file that ends there to be anything.
  file_.resize(static_cast<std::size_t>(good->start_bit / 8) + 200);
  EXPECT_FALSE(guess_from(from));
}

}  // namespace
}  // namespace shardmill::codec
