// What the inner loop of inflating must do, whatever the instruction set and the kind of symbol.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codec/gzip/deflate_bits_written.hpp"
#include "codec/gzip/deflate_loop.hpp"

namespace shardmill::codec::testing {

template <typename Symbol>
using RunDeflateLoop = DeflateLoopEnd (*)(DeflateLoop<Symbol>& loop);

/// Runs the loop over symbols in fixed codes. It stops after `limit` symbols, for which there must be room.
template <typename Symbol>
class DeflateLoopRun {
 public:
  DeflateLoopRun(RunDeflateLoop<Symbol> run, const DeflateBits& bits, std::size_t room, std::size_t limit)
      : run_(run) {
    tables_->build_fixed();
    input_ = bits.bytes();
    // The loop reads ahead: it needs input after the last symbol, and room to look at after that.
    input_.append(2 * kDeflateLoopInputBytes, '\0');
    symbols_.resize(room + kDeflateLoopRoom);
    loop_.tables = tables_.get();
    loop_.next = reinterpret_cast<const std::byte*>(input_.data());
    loop_.next_limit = loop_.next + input_.size() - kDeflateLoopInputBytes;
    loop_.out = symbols_.data();
    set_limit(limit);
    loop_.history = symbols_.data();
  }

  DeflateLoopEnd go() { return run_(loop_); }
  std::size_t limit() const { return static_cast<std::size_t>(loop_.out_limit - symbols_.data()); }
  void set_limit(std::size_t limit) { loop_.out_limit = symbols_.data() + limit; }

  /// What was there before; written() begins with it.
  void set_history(const std::vector<Symbol>& history) {
    loop_.out = std::copy(history.begin(), history.end(), symbols_.data());
  }

  std::size_t written_count() const { return static_cast<std::size_t>(loop_.out - symbols_.data()); }
  std::vector<Symbol> written() const {
    return {symbols_.begin(), symbols_.begin() + static_cast<std::ptrdiff_t>(written_count())};
  }
  std::uint64_t bits_read() const {
    const auto bytes = loop_.next - reinterpret_cast<const std::byte*>(input_.data());
    return static_cast<std::uint64_t>(bytes) * 8 - loop_.count;
  }

 private:
  RunDeflateLoop<Symbol> run_;
  std::unique_ptr<DeflateTables> tables_ = std::make_unique<DeflateTables>();
  std::string input_;
  std::vector<Symbol> symbols_;
  DeflateLoop<Symbol> loop_;
};

/// Literals and copies of all lengths and distances, with what they stand for.
template <typename Symbol>
struct ManySymbols {
  explicit ManySymbols(unsigned seed) {
    std::mt19937 random(seed);
    const auto number = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    const auto literal = [&] {
      const auto value = static_cast<std::uint8_t>(random());
      bits.symbol(value);
      plain.push_back(value);
    };
    literal();
    while (plain.size() < 60'000) {
      for (unsigned i = number(9); i > 0; --i) literal();
      // Short distances, at which a copy meets what it has just written, as often as long ones.
      const auto farthest = static_cast<unsigned>(std::min<std::size_t>(plain.size(), 32'768));
      const unsigned distance = 1 + number(random() % 2 == 0 ? std::min(farthest, 20U) : farthest);
      const unsigned length = 3 + number(256);
      bits.match(length, distance);
      for (unsigned i = 0; i < length; ++i) plain.push_back(plain[plain.size() - distance]);
    }
    bits.symbol(256);
  }

  DeflateBits bits;
  std::vector<Symbol> plain;
};

template <typename Symbol>
void expect_all_copies(RunDeflateLoop<Symbol> run_loop) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const ManySymbols<Symbol> given(seed);
    DeflateLoopRun<Symbol> run(run_loop, given.bits, 70'000, 70'000);
    ASSERT_EQ(run.go(), DeflateLoopEnd::block) << seed;
    EXPECT_EQ(run.written(), given.plain) << seed;
    EXPECT_EQ(run.bits_read(), given.bits.size()) << seed;
  }
}

/// The loop may be left wherever the room ends, and goes on as if nothing had been.
template <typename Symbol>
void expect_stops_anywhere(RunDeflateLoop<Symbol> run_loop) {
  const ManySymbols<Symbol> given(9);
  DeflateLoopRun<Symbol> run(run_loop, given.bits, 70'000, 0);
  std::size_t stops = 0;
  DeflateLoopEnd end;
  for (; (end = run.go()) == DeflateLoopEnd::limit; ++stops) {
    ASSERT_GT(run.written_count(), run.limit());
    ASSERT_LE(run.written_count(), run.limit() + kDeflateLoopRoom);
    run.set_limit(run.written_count() + stops % 300);
  }
  EXPECT_EQ(end, DeflateLoopEnd::block);
  EXPECT_GT(stops, 100U);
  EXPECT_EQ(run.written(), given.plain);
}

/// What cannot be decoded stays in front of the reader, with all that was before it decoded.
template <typename Symbol>
void expect_problems_kept(RunDeflateLoop<Symbol> run_loop) {
  const auto end_of = [&](const DeflateBits& bits, std::size_t good_bits, std::size_t written) {
    DeflateBits padded = bits;
    padded.put(0, 64);
    DeflateLoopRun<Symbol> run(run_loop, padded, 1000, 1000);
    const DeflateLoopEnd end = run.go();
    EXPECT_EQ(run.bits_read(), good_bits);
    EXPECT_EQ(run.written().size(), written);
    return end;
  };
  DeflateBits begin;
  begin.symbol('a').symbol('b').match(5, 2);
  const std::size_t good_bits = begin.size();
  EXPECT_EQ(end_of(DeflateBits(begin).symbol(286), good_bits, 7), DeflateLoopEnd::bad_symbol);
  // A length of 3 whose distance has a code that stands for nothing.
  EXPECT_EQ(end_of(DeflateBits(begin).symbol(257).code(30, 5), good_bits, 7), DeflateLoopEnd::bad_distance);
  EXPECT_EQ(end_of(DeflateBits(begin).match(3, 8), good_bits, 7), DeflateLoopEnd::too_far);
  EXPECT_EQ(end_of(DeflateBits(begin).match(3, 7).symbol(256), good_bits + 7 + 5 + 1 + 7, 10),
            DeflateLoopEnd::block);
}

}  // namespace shardmill::codec::testing
