#include "codec/frames/frame_end.hpp"

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
}  // namespace shardmill::codec
