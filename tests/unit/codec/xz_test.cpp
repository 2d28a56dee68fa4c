#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>

#include <string>

#include "base/io/file.hpp"
#include "codec/codec_files.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {

namespace {

using ::testing::HasSubstr;

TEST(XzProblem, ThereIsNoneWhereDecodingCanGoOn) {
  for (const lzma_ret status : {LZMA_OK, LZMA_STREAM_END, LZMA_BUF_ERROR}) {
    EXPECT_EQ(xz_problem(status, 0).text, "") << status;
  }
}

TEST(XzProblem, TellsHowMuchMemoryIsMissing) {
  const XzProblem problem = xz_problem(LZMA_MEMLIMIT_ERROR, std::uint64_t{1} << 30);
  EXPECT_EQ(problem.text, "needs 1025 MiB of memory to be decoded by xz, more than the limit of 256 MiB");
  EXPECT_THAT(problem.advice, HasSubstr("xz -9 or less"));
}

TEST(XzProblem, EverythingElseIsDamage) {
  EXPECT_EQ(xz_problem(LZMA_DATA_ERROR, 0).text, "damaged xz data");
  EXPECT_EQ(xz_problem(LZMA_FORMAT_ERROR, 0).text, "damaged xz data");
  EXPECT_THAT(xz_problem(LZMA_OPTIONS_ERROR, 0).text, HasSubstr("options"));
  EXPECT_THAT(xz_problem(LZMA_UNSUPPORTED_CHECK, 0).text, HasSubstr("cannot be verified"));
}

}  // namespace

namespace {

using testing::decode_in_steps;
using ::testing::HasSubstr;
using testing::noise;
using testing::text_like;
using testing::through;

TEST(XzDecoder, ReadsEveryKindOfFileThatTheProgramWrites) {
  const std::string plain = text_like(200'000) + noise(5'000);
  for (const char* kind : {"-0", "-9", "-e", "--check=none", "--check=crc32", "--check=sha256",
                           "--block-size=20000", "--x86 --lzma2", "--delta=dist=2 --lzma2=preset=1"}) {
    const std::string file = through(std::string("xz -qc ") + kind, plain);
    for (const std::size_t in : {std::size_t{5}, std::size_t{65536}}) {
      std::string got;
      EXPECT_EQ(decode_in_steps(make_xz_decoder(), file, in, 10'000, got).problem, "") << kind;
      EXPECT_TRUE(got == plain) << kind;
    }
  }
}

TEST(XzDecoder, EveryCutIsSeenAndEveryFlippedBitToo) {
  const std::string plain = text_like(300);
  testing::expect_all_damage_found(make_xz_decoder, through("xz -qc -1", plain), plain);
}

TEST(XzDecoder, StreamsOneBehindTheOtherWithZerosBetweenThem) {
  const std::string one = through("xz -qc", "one ");
  const std::string two = through("xz -qc", "two");
  for (const std::size_t zeros : {0U, 3U, 4U, 8U}) {
    std::string got;
    EXPECT_EQ(decode_in_steps(make_xz_decoder(), one + std::string(zeros, '\0') + two, 7, 100, got).problem,
              "");
    EXPECT_EQ(got, "one two");
  }
}

TEST(XzDecoder, WhatCannotBeDecodedSaysWhy) {
  const auto problem = [](std::string_view command) {
    std::string got;
    const std::string file = through(std::string(command), text_like(1000));
    return decode_in_steps(make_xz_decoder(), file, file.size(), 100, got);
  };
  const Progress large = problem("xz -qc --lzma2=dict=512MiB");
  EXPECT_THAT(large.problem, HasSubstr("MiB of memory to be decoded by xz, more than the limit of 256 MiB"));
  EXPECT_THAT(large.advice, HasSubstr("smaller dictionary"));
  // A check of kind 2, which no program writes, with the checksum of the header made right.
  std::string odd = through("xz -qc --check=none", "x");
  const std::string flags("\0\x02", 2);
  odd.replace(6, 2, flags);
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : flags) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  for (unsigned i = 0; i < 4; ++i) odd[8 + i] = static_cast<char>(~crc >> (8 * i));
  std::string got;
  EXPECT_THAT(decode_in_steps(make_xz_decoder(), odd, odd.size(), 100, got).problem,
              HasSubstr("integrity check of a kind that cannot be verified"));
}

TEST(XzDecoder, TellsWhatStandsBetweenStreams) {
  const auto decoder = make_xz_decoder();
  const auto kind = [&](std::string_view first) { return decoder->classify(base::as_bytes(first)); };
  EXPECT_EQ(kind(std::string_view("\xFD"
                                  "7zXZ\0",
                                  6)),
            Between::stream);
  EXPECT_EQ(kind("\xFD"
                 "7z"),
            Between::stream);  // the file ends in it
  EXPECT_EQ(kind("BZh91A"), Between::garbage);
}

TEST(CompressXz, TheProgramReadsIt) {
  for (const std::size_t size : {0U, 1U, 100'000U}) {
    const std::string plain = text_like(size);
    const auto packed = compress_xz(base::as_bytes(plain));
    const std::string_view file(reinterpret_cast<const char*>(packed.data()), packed.size());
    EXPECT_TRUE(through("xz -dc", file) == plain) << size;
  }
}

}  // namespace

}  // namespace shardmill::codec
