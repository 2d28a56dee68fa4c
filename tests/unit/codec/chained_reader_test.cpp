#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using ::testing::ElementsAre;
using testing::encode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::noise;
using testing::Outcome;
using testing::read_bytes;
using testing::read_pipe;
using testing::Schedule;
using testing::text_like;
using testing::through;

struct Packing {
  const char* name;
  const char* compress;  // command line
};

std::ostream& operator<<(std::ostream& out, const Packing& value) {
  return out << value.compress;
}

class ChainedReader : public ::testing::TestWithParam<Packing> {
 protected:
  static std::string compressed(std::string_view plain) { return through(GetParam().compress, plain); }
};

void expect_plain(const Outcome& outcome, const std::string& plain) {
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_TRUE(outcome.plain == plain) << outcome.plain.size() << " bytes instead of " << plain.size();
}

TEST_P(ChainedReader, ReadsWhatTheProgramWrote) {
  for (const std::string& plain : {std::string(), std::string("x"), text_like(3'000'000), noise(1'500'000)}) {
    const Outcome outcome = read_bytes(compressed(plain));
    expect_plain(outcome, plain);
    EXPECT_THAT(outcome.warnings, IsEmpty());
  }
}

TEST_P(ChainedReader, TheOrderOfPreparationDoesNotMatter) {
  const std::string plain = text_like(4'000'000) + noise(2'000'000);
  const std::string file = compressed(plain);
  for (const Schedule schedule :
       {Schedule::random, Schedule::threads, Schedule::overlapping, Schedule::reading_only}) {
    expect_plain(read_bytes(file, schedule), plain);
  }
}

TEST_P(ChainedReader, ReadsPipes) {
  const std::string plain = noise(1'000'000);
  expect_plain(read_pipe(compressed(plain)), plain);
}

// Memory that is set aside for a window counts as far as it is in use.
TEST(ChainedWindow, GrowsWithTheStreamAndEndsWithIt) {
  constexpr std::uint64_t kMiB = 1 << 20;
  struct WindowCase {
    const char* compress;
    std::uint64_t full_mib;
  };
  for (const auto& [compress, full_mib] : {WindowCase{"zstd -1qc --long=22", 4}, WindowCase{"zstd -1qc", 0},
                                           WindowCase{"xz -c --lzma2=preset=0,dict=4MiB", 4},
                                           WindowCase{"lz4 -1qc -B6", 2}, WindowCase{"lz4 -1qc -B4", 0}}) {
    SCOPED_TRACE(compress);
    shardmill::testing::TemporaryFolder folder;
    base::File file = base::File::open_read(folder.write("f", through(compress, noise(6 * kMiB))));
    const auto reader = open(file);
    std::uint64_t plain_bytes = 0;
    std::uint64_t most = 0;
    Window window{};
    while (const auto piece = reader->next()) {
      EXPECT_EQ(piece->window(), Window{});
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) plain_bytes += bytes.size();
      window = piece->window();
      EXPECT_EQ(window.bytes, window == Window{} ? 0 : std::min(plain_bytes, window.full_bytes));
      most = std::max(most, window.bytes);
    }
    EXPECT_EQ(window, Window{}) << "at the end";
    EXPECT_GE(most, full_mib * kMiB);
    EXPECT_LE(most, (full_mib + 3) * kMiB);
  }
}

TEST(ChainedWindow, IsNoneWherePiecesAreDecodedByThemselves) {
  for (const char* compress : {"cat", "bzip2 -c", "gzip -c", "xz -0c -T2 --block-size=1000000"}) {
    shardmill::testing::TemporaryFolder folder;
    base::File file = base::File::open_read(folder.write("f", through(compress, noise(3'000'000))));
    const auto reader = open(file);
    while (const auto piece = reader->next()) {
      while (!piece->read().empty()) {
      }
      EXPECT_EQ(piece->window(), Window{}) << compress;
    }
  }
}

TEST_P(ChainedReader, PiecesAddUpToTheFileAndStaySmall) {
  const std::string file = compressed(std::string(60'000'000, '\0') + noise(1'000'000));
  const Outcome outcome = read_bytes(file);
  EXPECT_EQ(outcome.plain.size(), 61'000'000);
  std::uint64_t total = 0;
  for (const std::uint64_t bytes : outcome.piece_bytes) total += bytes;
  EXPECT_EQ(total, file.size());
  EXPECT_LE(outcome.largest_span, std::size_t{4} << 20);
}

TEST_P(ChainedReader, ReadsAllStreams) {
  const std::string one = text_like(400'000, 1);
  const std::string two = noise(300'000, 2);
  expect_plain(read_bytes(compressed("") + compressed(one) + compressed("") + compressed(two)), one + two);
}

TEST_P(ChainedReader, ZerosMayStandBetweenStreams) {
  const std::string one = text_like(400'000, 1);
  const std::string two = noise(300'000, 2);
  for (const std::size_t zeros : {1U, 3U, 4U, 512U, 700'000U}) {
    const std::string file = compressed(one) + std::string(zeros, '\0') + compressed(two);
    for (const Schedule schedule : {Schedule::in_order, Schedule::threads})
      expect_plain(read_bytes(file, schedule), one + two);
    expect_plain(read_pipe(file), one + two);
  }
}

TEST_P(ChainedReader, ZerosMayFollowTheLastStream) {
  const std::string plain = text_like(100'000);
  for (const std::size_t zeros : {1U, 2U, 3U, 4U, 5U, 6U, 512U, 700'000U}) {
    expect_plain(read_bytes(compressed(plain) + std::string(zeros, '\0')), plain);
  }
}

TEST_P(ChainedReader, WhatElseFollowsTheLastStreamIsDamage) {
  const std::string plain = text_like(100'000);
  const std::string file = compressed(plain);
  for (const std::size_t zeros : {0U, 3U, 512U, 700'000U}) {
    for (const std::string& garbage : {std::string("g"), std::string("garbage"), noise(700'000)}) {
      const std::string padded = file + std::string(zeros, '\0');
      const std::string place = "offset " + std::to_string(padded.size()) + ": ";
      const Outcome outcome = read_bytes(padded + garbage);
      EXPECT_TRUE(outcome.plain == plain);
      EXPECT_THAT(outcome.errors,
                  ElementsAre(HasSubstr(place + "damaged: the bytes after the end of a compressed stream")));
      const Outcome lenient = testing::read_ignoring_trailing(padded + garbage);
      EXPECT_TRUE(lenient.plain == plain);
      EXPECT_THAT(lenient.errors, IsEmpty());
      EXPECT_THAT(lenient.warnings, ElementsAre(HasSubstr(place + "trailing bytes")));
    }
  }
}

TEST_P(ChainedReader, TruncationAnywhereIsAnError) {
  const std::string plain = text_like(2'000);
  const std::string file = compressed(plain);
  // pzstd begins with a frame that holds no data: with it alone, a file is whole and empty.
  const std::size_t first = is_skippable_frame(base::as_bytes(file)) ? 13 : 6;
  for (std::size_t size = first; size < file.size(); ++size) {
    const Outcome outcome = read_bytes(file.substr(0, size));
    ASSERT_THAT(outcome.errors, ElementsAre(HasSubstr("truncated"))) << size;
    EXPECT_THAT(outcome.errors[0], HasSubstr("offset " + std::to_string(size)));
    EXPECT_EQ(outcome.plain, plain.substr(0, outcome.plain.size()));
  }
}

TEST_P(ChainedReader, AFlippedBitIsAnErrorOrChangesNothing) {
  const std::string plain = text_like(300);
  const std::string file = compressed(plain);
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    if (detect(base::as_bytes(flipped)) != detect(base::as_bytes(file))) continue;
    const Outcome outcome = read_bytes(flipped);
    EXPECT_TRUE(!outcome.good() || outcome.plain == plain) << bit;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ChainedReader,
                         ::testing::Values(Packing{"gzip", "gzip -c"}, Packing{"gzip1", "gzip -1c"},
                                           Packing{"gzip9", "gzip -9c"}, Packing{"pigz", "pigz -c"},
                                           Packing{"xz", "xz -1c"}, Packing{"xz9", "xz -9c"},
                                           Packing{"xzCrc32", "xz -0c --check=crc32"},
                                           Packing{"xzSha256", "xz -1c --check=sha256"},
                                           Packing{"xzBlocks", "xz -1c -T2 --block-size=100000"},
                                           Packing{"zstd", "zstd -qc"}, Packing{"zstd19", "zstd -19qc"},
                                           Packing{"pzstd", "pzstd -qc"}, Packing{"lz4", "lz4 -qc"},
                                           Packing{"lz4Best", "lz4 -9qc"},
                                           Packing{"lz4Linked", "lz4 -qc -B4 -BD -BX --content-size"}),
                         [](const auto& each) { return each.param.name; });

TEST(GzipReader, ZeroPaddingBetweenAndAfterMembersIsPassedOver) {
  const std::string plain = text_like(10'000);
  const std::string member = encode({.codec = Codec::gzip}, plain);
  const Outcome outcome = read_bytes(member + std::string(1000, '\0') + member + std::string(77, '\0'));
  expect_plain(outcome, plain + plain);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(XzReader, StreamPaddingIsPassedOver) {
  const std::string plain = text_like(10'000);
  const std::string stream = through("xz -c", plain);
  const Outcome outcome = read_bytes(stream + std::string(1024, '\0') + stream + std::string(8, '\0'));
  expect_plain(outcome, plain + plain);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST(XzReader, TooLargeADictionarySaysSo) {
  const std::string file = through("xz -c --lzma2=dict=1GiB", noise(100));
  EXPECT_THAT(read_bytes(file).errors, ElementsAre(HasSubstr("more than the limit of 256 MiB")));
}

TEST(ZstdReader, TooLargeAWindowSaysSo) {
  const std::string file = through("zstd -qc --ultra --long=30", noise(100));
  EXPECT_THAT(read_bytes(file).errors, ElementsAre(HasSubstr("window")));
}

std::string skippable(std::size_t bytes) {
  std::string frame("\x53\x2a\x4d\x18", 4);
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(bytes >> shift);
  return frame + noise(bytes);
}

TEST(FrameReader, ReadsSmallFramesInAnyOrderAndLargeOnesBehindThem) {
  const std::string plain = text_like(3'000'000) + noise(2'000'000);
  const std::string small = encode({.codec = Codec::zstd, .seekable = true}, plain);
  const std::string large = through("zstd -qc", noise(5'000'000, 2));
  for (const Schedule schedule :
       {Schedule::random, Schedule::threads, Schedule::overlapping, Schedule::reading_only}) {
    expect_plain(read_bytes(small, schedule), plain);
    expect_plain(read_bytes(small + large + small, schedule), plain + noise(5'000'000, 2) + plain);
  }
  expect_plain(read_pipe(small), plain);
}

TEST(FrameReader, ADamagedFrameIsLeftOutAndReadingGoesOn) {
  const std::string plain = noise(5'000'000);
  const std::string large = noise(5'000'000, 2);
  std::string file = encode({.codec = Codec::zstd, .seekable = true}, plain);
  file[2'500'000] = static_cast<char>(file[2'500'000] ^ 1);
  for (const Schedule schedule : {Schedule::in_order, Schedule::threads}) {
    const Outcome outcome = read_bytes(file + through("zstd -qc", large), schedule);
    EXPECT_THAT(outcome.errors, ElementsAre(HasSubstr("damaged zstd data")));
    ASSERT_GT(outcome.plain.size(), large.size() + 2'900'000U);
    EXPECT_TRUE(outcome.plain.ends_with(large));
    const std::string small = outcome.plain.substr(0, outcome.plain.size() - large.size());
    EXPECT_LT(small.size(), plain.size());
    // What is missing is one stretch in the middle.
    EXPECT_TRUE(plain.starts_with(small.substr(0, 2'000'000)));
    EXPECT_TRUE(plain.ends_with(small.substr(small.size() - 900'000)));
  }
}

TEST(SkippableFrames, ArePassedOverEvenAtTheStart) {
  const std::string plain = text_like(10'000);
  for (const Codec codec : {Codec::zstd, Codec::lz4}) {
    const std::string frame = encode({.codec = codec}, plain);
    const std::string file =
        skippable(0) + skippable(5000) + frame + skippable(600'000) + frame + skippable(3);
    const Outcome outcome = read_bytes(file);
    expect_plain(outcome, plain + plain);
    EXPECT_THAT(outcome.warnings, IsEmpty());
  }
}

}  // namespace
}  // namespace shardmill::codec
