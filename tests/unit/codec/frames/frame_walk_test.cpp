#include "codec/frames/frame_walk.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {

namespace {

using testing::noise;
using testing::text_like;
using testing::through;

class FrameEndTest : public ::testing::Test {
 protected:
  /// Where the frame at `offset` ends; 0: nowhere.
  std::uint64_t end_of(Codec codec, const std::string& content, std::uint64_t offset = 0,
                       std::uint64_t limit = UINT64_MAX) {
    const base::File file = base::File::open_read(folder_.write("file", content));
    const auto found = frame_end(file, codec, offset, limit);
    if (!found) return 0;
    has_data_ = found->has_data;
    return found->end;
  }

  const shardmill::testing::TemporaryFolder folder_;
  bool has_data_ = false;
};

const std::string kSkippable("\x5F\x2A\x4D\x18\x05\0\0\0abcde", 13);

TEST_F(FrameEndTest, OfEveryKindOfZstdFrame) {
  const std::vector<std::string> plains{
      "", "x", std::string(70'000, 'r'), text_like(300), text_like(300'000), noise(200'000)};
  for (const std::string& plain : plains) {
    // With one segment and without, with and without a size, with and without a checksum.
    for (const char* way : {"zstd -qc", "zstd -qc --no-check", "zstd -qc --no-content-size",
                            "zstd -qc -19 --no-content-size --no-check"}) {
      const std::string frame = through(way, plain);
      EXPECT_EQ(end_of(Codec::zstd, frame + "what follows"), frame.size()) << way << ", " << plain.size();
      EXPECT_TRUE(has_data_);
      EXPECT_EQ(end_of(Codec::zstd, "before" + frame + frame, 6), 6 + frame.size()) << way;
      EXPECT_EQ(end_of(Codec::zstd, frame, 0, frame.size()), frame.size());
      EXPECT_EQ(end_of(Codec::zstd, frame + "x", 0, frame.size() - 1), 0U) << way;
    }
  }
}

TEST_F(FrameEndTest, OfEveryKindOfLz4Frame) {
  const std::vector<std::string> plains{"", "x", text_like(300'000), noise(200'000)};
  for (const std::string& plain : plains) {
    for (const char* way : {"lz4 -qc", "lz4 -qc -BX", "lz4 -qc --no-frame-crc", "lz4 -qc --content-size -B4",
                            "lz4 -qc -BD -BX"}) {
      const std::string frame = through(way, plain);
      EXPECT_EQ(end_of(Codec::lz4, frame + "what follows"), frame.size()) << way << ", " << plain.size();
      EXPECT_EQ(end_of(Codec::lz4, frame + "x", 0, frame.size() - 1), 0U) << way;
    }
  }
}

TEST_F(FrameEndTest, FramesThatAreSkippedHaveNoData) {
  for (const Codec codec : {Codec::zstd, Codec::lz4}) {
    has_data_ = true;
    EXPECT_EQ(end_of(codec, kSkippable + "x"), kSkippable.size());
    EXPECT_FALSE(has_data_);
    EXPECT_EQ(end_of(codec, kSkippable, 0, kSkippable.size() - 1), 0U);
  }
}

TEST_F(FrameEndTest, WhereNoFrameBegins) {
  const std::string zstd = through("zstd -qc", "text");
  const std::string lz4 = through("lz4 -qc", "text");
  EXPECT_EQ(end_of(Codec::zstd, lz4), 0U);
  EXPECT_EQ(end_of(Codec::lz4, zstd), 0U);
  EXPECT_EQ(end_of(Codec::zstd, ""), 0U);
  EXPECT_EQ(end_of(Codec::zstd, zstd, 1), 0U);
  EXPECT_EQ(end_of(Codec::zstd, zstd, zstd.size()), 0U);
  EXPECT_EQ(end_of(Codec::zstd, zstd, zstd.size() + 1000), 0U);
}

TEST_F(FrameEndTest, AFrameThatIsCutEndsNowhereInTheFile) {
  for (const Codec codec : {Codec::zstd, Codec::lz4}) {
    const std::string frame = through(codec == Codec::zstd ? "zstd -qc" : "lz4 -qc -BX", text_like(500));
    for (std::size_t size = 0; size < frame.size(); ++size)
      EXPECT_EQ(end_of(codec, frame.substr(0, size), 0, size), 0U) << size;
  }
}

TEST_F(FrameEndTest, ABlockThatClaimsGigabytesEndsBeyondTheLimit) {
  std::string frame = through("lz4 -qc", text_like(500));
  frame.replace(7, 4, "\xFF\xFF\xFF\x7F");
  EXPECT_EQ(end_of(Codec::lz4, frame, 0, frame.size()), 0U);
  EXPECT_EQ(end_of(Codec::zstd, std::string("\x50\x2A\x4D\x18\xFF\xFF\xFF\xFF", 8), 0, 8), 0U);
}

}  // namespace

namespace {

using shardmill::testing::TemporaryFolder;

struct Format {
  const char* sized;    // a command that knows the size of its input
  const char* unsized;  // one that does not
  MeasuredPart (*measure)(const base::File&);
};

class FrameWalk : public ::testing::TestWithParam<Format> {
 protected:
  MeasuredPart measured(std::string_view file) const {
    return GetParam().measure(base::File::open_read(folder_.write("file", file)));
  }
  /// `plain` in a file, so that the program can see how much it is.
  std::string compressed(std::string_view plain) const {
    const std::string path = folder_.write("plain", plain);
    return testing::through(std::string(GetParam().sized) + " " + path, "");
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(
    Formats, FrameWalk,
    ::testing::Values(Format{"zstd -qc", "zstd -qc", measure_zstd},
                      Format{"zstd -qc -19 --no-check", "zstd -qc --no-check", measure_zstd},
                      Format{"lz4 -qc --content-size", "lz4 -qc", measure_lz4},
                      Format{"lz4 -qc --content-size -BX --no-frame-crc", "lz4 -qc -BX -B4", measure_lz4}));

TEST_P(FrameWalk, FramesThatStateTheirSizeAreMeasuredExactly) {
  std::string file;
  std::uint64_t plain_bytes = 0;
  for (const std::size_t size : {1U, 300U, 70'000U, 300'000U, 1'000'000U}) {
    file += compressed(testing::text_like(size));
    plain_bytes += size;
    const MeasuredPart part = measured(file);
    EXPECT_EQ(part.compressed, file.size()) << size;
    EXPECT_EQ(part.plain, plain_bytes) << size;
  }
}

TEST_P(FrameWalk, OthersComeClose) {
  const std::string plain = testing::text_like(9'000'000);
  const MeasuredPart part = measured(testing::through(GetParam().unsized, plain));
  EXPECT_NEAR(static_cast<double>(part.plain), static_cast<double>(plain.size()),
              0.1 * static_cast<double>(plain.size()));
}

TEST_P(FrameWalk, SkippableFramesHoldNothing) {
  const std::string skippable("\x53\x2a\x4d\x18\5\0\0\0junk!", 13);
  const std::string frame = compressed(testing::text_like(5000));
  const MeasuredPart part = measured(skippable + frame + skippable + frame);
  EXPECT_EQ(part.plain, 10'000u);
  EXPECT_EQ(part.compressed, 2 * (skippable.size() + frame.size()));
}

TEST_P(FrameWalk, NoCutNorFlippedBitGivesMoreThanTheFileHas) {
  const std::string frame = compressed(testing::text_like(3000));
  for (std::size_t cut = 0; cut < frame.size(); cut += 1 + cut / 40) {
    EXPECT_LE(measured(frame.substr(0, cut)).compressed, cut);
  }
  for (std::size_t bit = 0; bit < 20 * 8; ++bit) {
    std::string changed = frame;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_LE(measured(changed).compressed, frame.size()) << bit;
  }
  EXPECT_EQ(measured("no compressed data").plain, 0u);
}

}  // namespace

}  // namespace shardmill::codec
