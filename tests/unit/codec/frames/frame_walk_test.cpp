#include "codec/frames/frame_walk.hpp"

#include <gtest/gtest.h>

#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
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
