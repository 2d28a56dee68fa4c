#include <gtest/gtest.h>

#include "base/io/file.hpp"
#include "codec/bzip2_oracle.hpp"
#include "codec/codec_files.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {
namespace {

std::string decoded(std::string_view compressed, Progress& last) {
  MultiStreamDecoder decoder(make_bzip2_library_decoder());
  std::span<const std::byte> rest = base::as_bytes(compressed);
  std::vector<std::byte> buffer(1000);
  std::string plain;
  do {
    const auto in = rest.first(std::min<std::size_t>(rest.size(), 700));
    last = decoder.decode(in, buffer, in.size() == rest.size());
    rest = rest.subspan(last.consumed);
    plain.append(reinterpret_cast<const char*>(buffer.data()), last.produced);
  } while (last.problem.empty() && (!rest.empty() || last.produced > 0));
  return plain;
}

TEST(Bzip2Library, DecodesAllStreamsOfAFile) {
  const std::string first = testing::text_like(300'000);
  const std::string second = testing::noise(1'000);
  Progress last;
  EXPECT_EQ(decoded(testing::through("bzip2 -c", first) + testing::through("bzip2 -c", second), last),
            first + second);
  EXPECT_EQ(last.problem, "");
}

TEST(Bzip2Library, TellsDamage) {
  std::string compressed = testing::through("bzip2 -c", testing::text_like(300'000));
  Progress last;
  decoded(std::string_view(compressed).substr(0, compressed.size() / 2), last);
  EXPECT_NE(last.problem.find("truncated"), std::string::npos) << last.problem;
  compressed[compressed.size() / 2] ^= 4;
  decoded(compressed, last);
  EXPECT_NE(last.problem.find("damaged"), std::string::npos) << last.problem;
}

TEST(Bzip2Library, WhatItCompressesTheProgramReads) {
  for (const std::size_t size : {0U, 1U, 899'999U, 2'000'000U}) {
    const std::string plain = testing::noise(size);
    const auto packed = compress_bzip2(base::as_bytes(plain));
    EXPECT_TRUE(
        testing::through("bzip2 -dc", {reinterpret_cast<const char*>(packed.data()), packed.size()}) == plain)
        << size;
  }
}

}  // namespace
}  // namespace shardmill::codec
