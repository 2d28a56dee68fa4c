#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::noise;
using testing::Outcome;
using testing::read_bytes;
using testing::read_pipe;
using testing::Schedule;
using testing::through;

struct Kind {
  const char* program;
  Codec codec;
  std::unique_ptr<StreamDecoder> (*make)();
};

class FrameReaderOf : public ::testing::TestWithParam<Kind> {
 protected:
  std::string frame(std::string_view plain) const { return through(GetParam().program, plain); }
  /// Frames that cannot be compressed, so that their sizes are about those of their plain bytes.
  std::string frames(std::size_t count, std::size_t bytes) {
    std::string file;
    for (std::size_t i = 0; i < count; ++i) {
      plain_ += noise(bytes, i);
      file += frame(noise(bytes, i));
    }
    return file;
  }

  std::string plain_;
};

/// A decoder of one codec must never get to the frames of another.
TEST(FrameReader, FilesOfTwoCodecsAreOpenAtATime) {
  const shardmill::testing::TemporaryFolder folder;
  std::vector<base::File> files;
  std::vector<std::unique_ptr<PieceReader>> readers;
  std::vector<std::string> plain(4);
  for (std::size_t number = 0; number < plain.size(); ++number) {
    std::string frames;
    for (std::size_t i = 0; i < 4; ++i)
      frames += through(number % 2 == 0 ? "zstd -qc" : "lz4 -qc", noise(1'500'000, 10 * number + i));
    files.push_back(base::File::open_read(folder.write(std::to_string(number), frames)));
  }
  for (base::File& file : files) readers.push_back(open(file));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t number = 0; number < plain.size(); ++number) {
      const auto piece = readers[number]->next();
      ASSERT_NE(piece, nullptr);
      piece->prepare();
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read())
        plain[number].append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  }
  for (std::size_t number = 0; number < plain.size(); ++number) {
    std::string expected;
    for (std::size_t i = 0; i < 4; ++i) expected += noise(1'500'000, 10 * number + i);
    EXPECT_TRUE(plain[number] == expected) << number;
  }
}

TEST_P(FrameReaderOf, SmallFramesAreReadInPiecesOfWholeOnes) {
  const std::string file = frames(9, 700'000);
  for (const Schedule schedule :
       {Schedule::in_order, Schedule::random, Schedule::overlapping, Schedule::reading_only}) {
    const Outcome outcome = read_bytes(file, schedule);
    EXPECT_TRUE(outcome.good());
    EXPECT_TRUE(outcome.plain == plain_);
    EXPECT_GT(outcome.piece_bytes.size(), 1u);
    EXPECT_EQ(std::accumulate(outcome.piece_bytes.begin(), outcome.piece_bytes.end(), std::uint64_t{0}),
              file.size());
    for (const std::uint64_t plain_bytes : outcome.piece_plain_bytes) EXPECT_EQ(plain_bytes % 700'000, 0u);
  }
  EXPECT_TRUE(read_pipe(file).plain == plain_);
}

TEST_P(FrameReaderOf, FramesOfTwoMebibytesAndMore) {
  for (const std::size_t bytes :
       {(std::size_t{2} << 20) - 100'000, std::size_t{2} << 20, (std::size_t{2} << 20) + 100'000}) {
    plain_.clear();
    const std::string file = frames(3, bytes);
    for (const Schedule schedule : {Schedule::random, Schedule::threads}) {
      const Outcome outcome = read_bytes(file, schedule);
      EXPECT_TRUE(outcome.good()) << bytes;
      EXPECT_TRUE(outcome.plain == plain_) << bytes;
    }
  }
}

TEST_P(FrameReaderOf, EmptyFramesAndThoseThatAreSkipped) {
  const std::string skippable("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  const std::string empty = frame("");
  const std::string text = frame("text");
  for (const std::string& file :
       {empty, empty + empty, skippable + text, text + skippable, empty + text + skippable + empty + text}) {
    const Outcome outcome = read_bytes(file, Schedule::random);
    EXPECT_TRUE(outcome.good()) << file.size();
    std::string expected;
    for (std::size_t at = file.find(text); at != file.npos; at = file.find(text, at + 1)) expected += "text";
    EXPECT_EQ(outcome.plain, expected) << file.size();
  }
}

TEST_P(FrameReaderOf, WhereTheFirstBadFrameStandsReadingEnds) {
  const std::string good = frames(3, 300'000);
  std::string bad = frame(noise(100'000, 99));
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 0xFF);
  const std::string behind = frame(noise(300'000, 77));
  for (const Schedule schedule : {Schedule::in_order, Schedule::random, Schedule::threads}) {
    const Outcome outcome = read_bytes(good + bad + behind, schedule);
    ASSERT_EQ(outcome.errors.size(), 1u);
    EXPECT_TRUE(outcome.plain.starts_with(plain_));
    EXPECT_LT(outcome.plain.size(), plain_.size() + 100'000);
  }
  // A header that is cut, and bytes that are no frame.
  EXPECT_FALSE(read_bytes(good + bad.substr(0, 5)).good());
  EXPECT_FALSE(read_bytes(good + "garbage").good());
  const Outcome ignored = testing::read_ignoring_trailing(good + "garbage");
  EXPECT_TRUE(ignored.good());
  EXPECT_TRUE(ignored.plain == plain_);
  EXPECT_THAT(ignored.warnings, ElementsAre(HasSubstr("offset " + std::to_string(good.size()))));
}

TEST_P(FrameReaderOf, ARunGoesOnAtAnyPiece) {
  const shardmill::testing::TemporaryFolder folder;
  base::File file = base::File::open_read(folder.write("file", frames(12, 500'000)));
  const auto read = [&](const RestartPoint& from, std::vector<RestartPoint>* points) {
    const auto reader = make_frame_reader(Input(file), GetParam().codec, GetParam().make, {}, from);
    std::string plain;
    while (const auto piece = reader->next()) {
      if (points != nullptr) points->push_back(piece->restart_point());
      piece->prepare();
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read())
        plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return plain;
  };
  std::vector<RestartPoint> points;
  ASSERT_TRUE(read({}, &points) == plain_);
  ASSERT_GT(points.size(), 1u);
  std::size_t last = plain_.size() + 1;
  for (const RestartPoint& point : points) {
    const std::string rest = read(point, nullptr);
    EXPECT_LT(rest.size(), last);
    EXPECT_TRUE(plain_.ends_with(rest));
    last = rest.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, FrameReaderOf,
                         ::testing::Values(Kind{"zstd -qc", Codec::zstd, make_zstd_decoder},
                                           Kind{"lz4 -qc", Codec::lz4, make_lz4_decoder}),
                         [](const auto& kind) { return std::string(name(kind.param.codec)); });

}  // namespace
}  // namespace shardmill::codec
