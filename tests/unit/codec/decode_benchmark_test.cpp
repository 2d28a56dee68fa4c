#include "codec/decode_benchmark.hpp"

#include <gtest/gtest.h>

namespace shardmill::codec {
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
