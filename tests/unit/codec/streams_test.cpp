// With a toy format: 'S', the letters of the text, 'E'. A '#' is a skippable stream "#...E", and '!' inside a
// stream is damage.

#include "codec/streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::codec {

namespace {

class Toy final : public StreamDecoder {
 public:
  std::size_t magic_bytes() const override { return 2; }  // one more than it needs
  Between classify(std::span<const std::byte> first) const override {
    switch (std::to_integer<char>(first[0])) {
      case 'S':
        return Between::stream;
      case '#':
        return Between::skippable;
      default:
        return Between::garbage;
    }
  }
  void begin() override { magic_ = true; }
  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    Progress progress;
    for (; progress.consumed < in.size() && !progress.ended; ++progress.consumed) {
      const char c = std::to_integer<char>(in[progress.consumed]);
      if (magic_) {
        skips_ = c == '#';
        magic_ = false;
      } else if (c == 'E') {
        progress.ended = true;
      } else if (c == '!') {
        progress.problem = "damaged: a bang";
        return progress;
      } else if (!skips_) {
        if (progress.produced == out.size()) break;
        out[progress.produced++] = in[progress.consumed];
      }
    }
    return progress;
  }

 private:
  bool magic_ = false;
  bool skips_ = false;
};

struct Result {
  std::string plain;
  std::string problem;
  std::uint64_t streams = 0;
  std::optional<std::uint64_t> garbage;

  bool operator==(const Result&) const = default;
};

Result decode(std::string_view file, std::size_t in, std::size_t out) {
  MultiStreamDecoder decoder(std::make_unique<Toy>());
  std::vector<std::byte> room(out);
  Result result;
  for (;;) {
    const std::string_view piece = file.substr(0, in);
    const Progress step = decoder.decode(base::as_bytes(piece), room, piece.size() == file.size());
    result.plain.append(reinterpret_cast<const char*>(room.data()), step.produced);
    result.problem = step.problem;
    file.remove_prefix(step.consumed);
    if (!step.problem.empty() || (file.empty() && step.produced < out)) break;
  }
  result.streams = decoder.streams();
  result.garbage = decoder.garbage_offset();
  return result;
}

const std::string kZeros(3, '\0');
const std::string kPadded = kZeros + "SaE" + kZeros + "#xE" + kZeros + "SbE" + kZeros;
const std::string kFiles[] = {"",
                              "SabcE",
                              "SE",
                              "SaESbE",
                              kPadded,
                              "#xyzESaE",
                              "SaE#xyE",
                              "SaE" + kZeros,
                              "SaEgarbage",
                              "SaE" + kZeros + "g",
                              "garbage",
                              "Sabc",
                              "SaES",
                              "Sa!E",
                              "SaESb!",
                              "S",
                              "#",
                              "SaE#",
                              "SaE" + kZeros + "S",
                              "SaEgSbE"};

TEST(MultiStreamDecoder, ReadsStreamsPaddingAndWhatFollows) {
  const auto all = [](std::string_view file) { return decode(file, file.size() + 1, 100); };
  EXPECT_EQ(all(kPadded), (Result{"ab", "", 2, {}}));
  EXPECT_EQ(all("#xyzESaE"), (Result{"a", "", 1, {}}));
  EXPECT_EQ(all("SaE" + kZeros), (Result{"a", "", 1, {}}));
  EXPECT_EQ(all("SaE" + kZeros + "g"), (Result{"a", "", 1, 6}));
  EXPECT_EQ(all("SaEgSbE"), (Result{"a", "", 1, 3}));
  EXPECT_EQ(all("Sa!E").problem, "damaged: a bang");
  EXPECT_EQ(all("Sa!E").plain, "a");
  EXPECT_TRUE(all("garbage").problem.starts_with("damaged: no compressed data"));
  EXPECT_TRUE(all("Sabc").problem.starts_with("truncated: the file ends inside a compressed stream"));
  EXPECT_TRUE(all("SaES").problem.starts_with("truncated: the file ends inside the header"));
}

TEST(MultiStreamDecoder, CutsOfInputAndOutputMakeNoDifference) {
  for (const std::string& file : kFiles) {
    const Result whole = decode(file, file.size() + 1, 100);
    for (std::size_t in = 1; in <= file.size(); ++in) {
      for (std::size_t out = 1; out <= 4; ++out) EXPECT_EQ(decode(file, in, out), whole) << file << " " << in;
    }
  }
}

TEST(BeginsWith, ABeginningOfTheMagicWillDo) {
  const std::uint8_t magic[] = {'a', 'b', 'c'};
  for (const char* good : {"", "a", "ab", "abc", "abcd"})
    EXPECT_TRUE(begins_with(base::as_bytes(std::string_view(good)), magic)) << good;
  for (const char* bad : {"b", "ac", "abd", " abc"})
    EXPECT_FALSE(begins_with(base::as_bytes(std::string_view(bad)), magic)) << bad;
}

TEST(SkippableFrame, AllSixteenMagicsAndNoOther) {
  for (unsigned first = 0; first < 256; ++first) {
    const std::string magic{static_cast<char>(first), 0x2a, 0x4d, 0x18};
    EXPECT_EQ(is_skippable_frame(base::as_bytes(magic)), first >= 0x50 && first <= 0x5f) << first;
  }
  EXPECT_FALSE(is_skippable_frame({}));
}

}  // namespace

namespace {

/// Writes "[block]", and "[block]." for the last.
class Recorder final : public BlockEncoder {
 public:
  Recorder(std::size_t block_bytes, std::string& out) : BlockEncoder(block_bytes), out_(out) {}

 private:
  void encode(std::span<const std::byte> block, bool last) override {
    out_ +=
        '[' + std::string(reinterpret_cast<const char*>(block.data()), block.size()) + (last ? "]." : "]");
  }

  std::string& out_;
};

std::string encoded(std::string_view plain, std::size_t block_bytes, std::size_t cut) {
  std::string out;
  Recorder encoder(block_bytes, out);
  for (; !plain.empty(); plain.remove_prefix(std::min(cut, plain.size())))
    encoder.write(base::as_bytes(plain.substr(0, cut)));
  encoder.write({});
  encoder.finish();
  return out;
}

TEST(BlockEncoder, AllBlocksButTheLastAreFull) {
  EXPECT_EQ(encoded("abcdefg", 3, 7), "[abc][def][g].");
  EXPECT_EQ(encoded("abcdef", 3, 6), "[abc][def][].");
  EXPECT_EQ(encoded("ab", 3, 2), "[ab].");
  EXPECT_EQ(encoded("", 3, 1), "[].");
}

TEST(BlockEncoder, BlocksDoNotDependOnTheCutOfTheInput) {
  std::string plain;
  while (plain.size() < 61) plain += static_cast<char>('a' + plain.size() % 26);
  for (std::size_t block_bytes = 1; block_bytes <= 20; ++block_bytes) {
    const std::string whole = encoded(plain, block_bytes, plain.size());
    for (std::size_t cut = 1; cut < plain.size(); ++cut)
      EXPECT_EQ(encoded(plain, block_bytes, cut), whole) << cut;
  }
}

}  // namespace

namespace {

TEST(Trailing, DamageSaysWhereAndWhatToDo) {
  const Error error = trailing_damage("a.bz2", 0);
  EXPECT_EQ(error.where().offset, 0u);
  EXPECT_TRUE(std::string(error.what()).starts_with("a.bz2: offset 0: damaged: ")) << error.what();
  EXPECT_NE(error.advice().find("--ignore-trailing"), std::string::npos);
}

TEST(Trailing, WhatIsIgnoredIsNotCalledDamage) {
  const Error warning = trailing_ignored("a.bz2", 77);
  EXPECT_EQ(warning.where().offset, 77u);
  EXPECT_EQ(warning.problem().find("damage"), std::string::npos);
}

}  // namespace

}  // namespace shardmill::codec
