#include "codec/speed.hpp"

#include <gtest/gtest.h>

#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {

namespace {

class ReferenceSpeedOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceSpeedOf, EveryCodecIsMeasured) {
  const shardmill::testing::TemporaryFolder folder;
  const std::string path = folder.write("a", testing::through(GetParam(), testing::text_like(2'000'000)));
  const ReferenceSpeed speed = reference_speed(base::File::open_read(path));
  EXPECT_GT(speed.copied_bytes_per_second, 1e7);
  EXPECT_GT(speed.decoded_bytes_per_second, 1e5);
  // Nothing decodes as fast as memory is copied, but a codec that hardly compresses may come near.
  EXPECT_LT(speed.decoded_bytes_per_second, 20 * speed.copied_bytes_per_second);
}

INSTANTIATE_TEST_SUITE_P(Codecs, ReferenceSpeedOf,
                         ::testing::Values("cat", "bzip2 -c", "gzip -c", "xz -0c", "zstd -qc", "lz4 -qc"));

TEST(ReferenceSpeed, OfGarbageIsZero) {
  const shardmill::testing::TemporaryFolder folder;
  const std::string path = folder.write("a", "BZh9 and nothing that a decoder knows");
  EXPECT_EQ(reference_speed(base::File::open_read(path)).decoded_bytes_per_second, 0);
}

}  // namespace

namespace {

TEST(DecodeBenchmark, MeasuresEveryCodec) {
  for (const Codec codec : {Codec::bzip2, Codec::gzip, Codec::xz, Codec::zstd, Codec::lz4}) {
    const DecodeSpeed speed = decode_speed(codec, 0.001);
    EXPECT_EQ(speed.codec, codec);
    EXPECT_GT(speed.bytes_per_second, 0) << name(codec);
    EXPECT_GT(speed.library_bytes_per_second, 0) << name(codec);
  }
}

}  // namespace

}  // namespace shardmill::codec
