#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "codec/bzip2/bit_string.hpp"
#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2/block_header.hpp"
#include "codec/bzip2_oracle.hpp"
#include "codec/codec_files.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using testing::bzip2_verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::noise;
using testing::Outcome;
using testing::read_bytes;
using testing::Schedule;
using testing::text_like;
using testing::through;

constexpr Schedule kAllSchedules[] = {Schedule::in_order, Schedule::random, Schedule::threads,
                                      Schedule::overlapping, Schedule::reading_only};

std::string bzip2(std::string_view plain, int level = 9) {
  return through("bzip2 -c -" + std::to_string(level), plain);
}

void expect_plain(const Outcome& outcome, const std::string& plain, const std::string& file) {
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_TRUE(outcome.plain == plain) << outcome.plain.size() << " bytes instead of " << plain.size();
  EXPECT_EQ(std::accumulate(outcome.piece_bytes.begin(), outcome.piece_bytes.end(), std::uint64_t{0}),
            file.size());
}

/// Reads as bzip2 does: the same bytes, or an error where bzip2 has one or ignores what is no padding.
void expect_as_bzip2(const std::string& file, const std::string& what) {
  const auto verdict = bzip2_verdict(file);
  const Outcome outcome = read_bytes(file);
  ASSERT_EQ(outcome.good(), verdict.accepted && !verdict.garbage)
      << what << (outcome.good() ? "" : ": " + outcome.errors[0]);
  if (!verdict.accepted) return;
  const Outcome lenient = testing::read_ignoring_trailing(file);
  ASSERT_TRUE(lenient.good()) << what;
  ASSERT_TRUE(lenient.plain == verdict.plain) << what;
  ASSERT_EQ(!lenient.warnings.empty(), verdict.garbage) << what;
}

TEST(Bzip2Reader, ReadsEveryLevelInAnyOrder) {
  const std::string plain = text_like(1'200'000) + noise(700'000) + std::string(3'000'000, 'q');
  for (int level = 1; level <= 9; ++level) {
    const std::string file = bzip2(plain, level);
    expect_plain(read_bytes(file, kAllSchedules[level % 5]), plain, file);
  }
}

TEST(Bzip2Reader, ReadsFilesOfOtherPrograms) {
  const std::string plain = noise(1'500'000) + text_like(3'000'000);
  for (const char* const program :
       {"lbzip2 -n2 -c", "lbzip2 -1c", "pbzip2 -p2 -b2 -c", "pbzip2 -1 -p2 -b1 -c"}) {
    const std::string file = through(program, plain);
    for (const Schedule schedule : kAllSchedules) expect_plain(read_bytes(file, schedule), plain, file);
  }
}

TEST(Bzip2Reader, ReadsSmallFiles) {
  for (const std::string& plain :
       {std::string(), std::string("a"), std::string("aaaa"), std::string("ab\n")}) {
    const std::string file = bzip2(plain);
    expect_plain(read_bytes(file), plain, file);
  }
}

TEST(Bzip2Reader, ReadsConcatenatedAndEmptyStreams) {
  const std::string empty = bzip2("");
  const std::string one = text_like(250'000, 1);
  const std::string two = noise(250'000, 2);
  const std::string file = empty + bzip2(one, 1) + empty + empty + bzip2(two, 3) + bzip2("x") + empty;
  for (const Schedule schedule : kAllSchedules)
    expect_plain(read_bytes(file, schedule), one + two + "x", file);
}

TEST(Bzip2Reader, ReadsPipes) {
  const std::string plain = noise(2'500'000);
  const std::string file = bzip2(plain, 5);
  expect_plain(testing::read_pipe(file), plain, file);
}

TEST(Bzip2Reader, ABlockThatExpandsHugelyComesInSmallSpans) {
  const std::string plain(95'000'000, '\0');
  const std::string file = bzip2(plain);
  for (const Schedule schedule : {Schedule::threads, Schedule::reading_only}) {
    const Outcome outcome = read_bytes(file, schedule);
    expect_plain(outcome, plain, file);
    EXPECT_LE(outcome.largest_span, std::size_t{4} << 20);
  }
}

TEST(Bzip2Reader, PiecesDependOnTheFileAlone) {
  const std::string file = bzip2(noise(1'000'000), 2);
  const Outcome first = read_bytes(file, Schedule::in_order);
  EXPECT_EQ(first.piece_bytes, read_bytes(file, Schedule::threads).piece_bytes);
  EXPECT_EQ(first.piece_bytes, testing::read_pipe(file).piece_bytes);
}

TEST(Bzip2Reader, ZerosMayFollowTheLastStream) {
  const std::string plain = text_like(150'000);
  for (const std::size_t zeros : {std::size_t{1}, std::size_t{512}, std::size_t{5'000'000}}) {
    const std::string file = bzip2(plain, 1) + std::string(zeros, '\0');
    for (const Schedule schedule : kAllSchedules) expect_plain(read_bytes(file, schedule), plain, file);
  }
}

TEST(Bzip2Reader, ZerosMayStandBetweenStreams) {
  const std::string one = text_like(250'000, 1);
  const std::string two = noise(250'000, 2);
  for (const std::size_t zeros :
       {std::size_t{1}, std::size_t{2}, std::size_t{16}, std::size_t{512}, std::size_t{6'000'000}}) {
    const std::string file =
        bzip2(one, 1) + std::string(zeros, '\0') + bzip2(two, 1) + std::string(zeros, '\0');
    for (const Schedule schedule : kAllSchedules) {
      const Outcome outcome = read_bytes(file, schedule);
      expect_plain(outcome, one + two, file);
    }
  }
}

TEST(Bzip2Reader, WhatElseFollowsTheLastStreamIsDamage) {
  const std::string plain = text_like(150'000);
  const std::string file = bzip2(plain, 1);
  for (const std::string& garbage : {std::string("g"), std::string("BZ2"), noise(100'000)}) {
    const std::string place = "offset " + std::to_string(file.size()) + ": ";
    const Outcome outcome = read_bytes(file + garbage);
    EXPECT_TRUE(outcome.plain == plain);
    EXPECT_THAT(outcome.errors,
                ElementsAre(HasSubstr(place + "damaged: the bytes after the end of a compressed stream")));
    const Outcome lenient = testing::read_ignoring_trailing(file + garbage);
    expect_plain(lenient, plain, file + garbage);
    EXPECT_THAT(lenient.warnings, ElementsAre(HasSubstr(place + "trailing bytes")));
  }
}

TEST(Bzip2Reader, DataAfterZerosIsDamage) {
  const std::string file = bzip2("x") + std::string(1'000'000, '\0');
  const Outcome outcome = read_bytes(file + "data");
  EXPECT_EQ(outcome.plain, "x");
  EXPECT_THAT(outcome.errors, ElementsAre(HasSubstr("offset " + std::to_string(file.size()))));
}

TEST(Bzip2Reader, ABitFlippedInALaterHeaderIsDamageAndItsBlocksAreSaved) {
  const std::string one = text_like(150'000, 1);
  const std::string two = noise(150'000, 2);
  const std::string first = bzip2(one, 1);
  for (std::size_t bit = 0; bit < 24; ++bit) {
    std::string file = first + bzip2(two, 1);
    char& hit = file[first.size() + bit / 8];
    hit = static_cast<char>(hit ^ (1 << bit % 8));
    const Outcome outcome = read_bytes(file);
    EXPECT_TRUE(outcome.plain == one + two) << bit;
    EXPECT_THAT(outcome.errors, ElementsAre(HasSubstr("offset " + std::to_string(first.size())))) << bit;
  }
}

TEST(Bzip2Reader, TruncationAnywhereIsAnError) {
  const std::string plain = text_like(500);
  const std::string first = bzip2(plain);
  const std::string file = first + bzip2("second");
  for (std::size_t size = 4; size < file.size(); ++size) {
    if (size == first.size()) continue;
    const Outcome outcome = read_bytes(file.substr(0, size));
    ASSERT_THAT(outcome.errors, ElementsAre(HasSubstr("truncated"))) << size;
    EXPECT_THAT(outcome.plain, AnyOf("", plain, plain + "second")) << size;
  }
}

TEST(Bzip2Reader, ATruncatedFileGivesItsWholeBlocks) {
  const std::string plain = noise(350'000);
  const std::string file = bzip2(plain, 1);
  const Outcome outcome = read_bytes(file.substr(0, file.size() / 2), Schedule::threads);
  EXPECT_THAT(outcome.errors, ElementsAre(AllOf(HasSubstr("truncated"), HasSubstr("block 1 at offset"))));
  EXPECT_EQ(outcome.plain.size(), 99'981);  // a block of level 1, less the room bzip2 leaves
  EXPECT_EQ(outcome.plain, plain.substr(0, outcome.plain.size()));
}

TEST(Bzip2Reader, EveryFlippedBitIsJudgedAsBzip2Does) {
  const std::string file = bzip2(text_like(400)) + bzip2("") + bzip2("end");
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (0x80 >> bit % 8));
    if (detect(base::as_bytes(flipped)) == Codec::bzip2)
      expect_as_bzip2(flipped, "bit " + std::to_string(bit));
  }
}

TEST(Bzip2Reader, SalvagesTheBlocksBehindDamage) {
  const std::string plain = noise(480'000);
  std::string file = bzip2(plain, 1);
  const Outcome whole = read_bytes(file);
  ASSERT_EQ(whole.piece_bytes.size(), 6);
  const std::uint64_t third = whole.piece_bytes[0] + whole.piece_bytes[1] + whole.piece_bytes[2];
  file[third + 40'000] = static_cast<char>(file[third + 40'000] ^ 8);
  for (const Schedule schedule : kAllSchedules) {
    const Outcome outcome = read_bytes(file, schedule);
    EXPECT_THAT(outcome.errors,
                ElementsAre(HasSubstr("block 2 at offset " + std::to_string(third) + ": damaged")));
    constexpr std::size_t kBlock = 99'981;
    EXPECT_TRUE(outcome.plain == plain.substr(0, 2 * kBlock) + plain.substr(3 * kBlock));
  }
}

TEST(Bzip2Reader, NamesEachDamagedBlockByItsNumber) {
  const std::string good = bzip2("good");
  std::string bad = bzip2("damaged");
  bad[20] = static_cast<char>(bad[20] ^ 8);
  const Outcome outcome = read_bytes(good + bad + good + good + bad + good);
  EXPECT_THAT(outcome.errors, ElementsAre(HasSubstr("block 1 at offset"), HasSubstr("block 4 at offset")));
  EXPECT_EQ(outcome.plain, "goodgoodgoodgood");
}

TEST(Bzip2Reader, ABlockLargerThanItsLevelIsDamage) {
  std::string file = bzip2(noise(150'000), 2);
  file[3] = '1';
  const Outcome outcome = read_bytes(file);
  EXPECT_THAT(outcome.errors, ElementsAre(HasSubstr("larger block than the header")));
  EXPECT_FALSE(bzip2_verdict(file).accepted);
}

/// Adds selectors that no symbol uses, and that spell block magics, to the only block of a file.
std::string with_false_magics(const std::string& file, unsigned magics) {
  constexpr unsigned kSelectorsInMagic = 29;  // in unary: its 28 zeros, and one more for the 1 at its end
  BitReader in(base::as_bytes(file), 0);
  testing::BitString out;
  const auto copy = [&](unsigned bits) {
    const std::uint64_t value = in.take(bits);
    out.put(value, bits);
    return value;
  };
  copy(32), copy(48), copy(32), copy(25);
  const std::uint64_t ranges = copy(16);
  for (unsigned i = 0; i < 16; ++i) {
    if (ranges >> i & 1) copy(16);
  }
  EXPECT_GE(copy(3), 3);
  const std::uint64_t selectors = in.take(15);
  out.put(selectors + magics * kSelectorsInMagic, 15);
  for (std::uint64_t i = 0; i < selectors; ++i) {
    while (copy(1) != 0) {
    }
  }
  for (unsigned i = 0; i < magics; ++i) {
    out.put(kBzip2BlockMagic, 48);
    out.put(0, 1);  // ends the last selector, whose first bit is the last of the magic
  }
  const std::uint64_t end_of_stream = find_bzip2_end(base::as_bytes(file), in.position()).value() + 48 + 32;
  while (in.position() < end_of_stream) copy(1);
  return out.bytes();
}

TEST(Bzip2Reader, MagicsInsideABlockAreSeenThrough) {
  const std::string plain = text_like(60'000, 3);
  for (const unsigned magics : {1u, 2u, 40u, 570u}) {
    const std::string file = with_false_magics(bzip2(plain), magics);
    ASSERT_TRUE(bzip2_verdict(file).accepted) << magics;
    for (const Schedule schedule : kAllSchedules) {
      const Outcome outcome = read_bytes(file + file, schedule);
      EXPECT_GT(outcome.piece_bytes.size(), 2 * magics);
      expect_plain(outcome, plain + plain, file + file);
    }
  }
}

TEST(Bzip2Reader, MagicsInsideADamagedBlockDoNotHideIt) {
  const std::string plain = text_like(60'000, 3);
  std::string file = with_false_magics(bzip2(plain), 40);
  file[file.size() - 300] = static_cast<char>(file[file.size() - 300] ^ 1);
  const Outcome outcome = read_bytes(file + bzip2(plain));
  EXPECT_THAT(outcome.errors, ElementsAre(HasSubstr("block 0 at offset 4")));
  EXPECT_TRUE(outcome.plain == plain);
}

}  // namespace
}  // namespace shardmill::codec
