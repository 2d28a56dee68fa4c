#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {
namespace {

using testing::decode_in_steps;
using testing::encode;
using testing::noise;
using testing::text_like;
using testing::through;

TEST(GzipStreamDecoder, ReadsWhatProgramsWrite) {
  const std::string plain = text_like(200'000) + noise(70'000);
  for (const char* program : {"gzip -1nc", "gzip -9c", "pigz -c", "bgzip -c"}) {
    const std::string file = through(program, plain);
    for (const std::size_t in : {std::size_t{5}, std::size_t{65536}}) {
      std::string got;
      EXPECT_EQ(decode_in_steps(make_gzip_library_decoder(), file, in, 10'000, got).problem, "") << program;
      EXPECT_TRUE(got == plain) << program;
    }
  }
}

TEST(GzipStreamDecoder, EveryCutIsSeenAndEveryFlippedBitToo) {
  const std::string plain = text_like(300);
  testing::expect_all_damage_found(make_gzip_library_decoder, through("gzip -nc", plain), plain);
}

TEST(GzipStreamDecoder, ItsDamageIsToldInZlibsWords) {
  const auto problem = [](std::string file, std::size_t at, char value) {
    file[at] = value;
    std::string got;
    return decode_in_steps(make_gzip_library_decoder(), file, file.size(), 1000, got).problem;
  };
  const std::string file = through("gzip -nc", text_like(500));
  EXPECT_EQ(problem(file, 2, 7), "damaged gzip data: unknown compression method");
  EXPECT_EQ(problem(file, 10, 7), "damaged gzip data: invalid block type");
  EXPECT_EQ(problem(file, file.size() - 8, static_cast<char>(file[file.size() - 8] ^ 1)),
            "damaged gzip data: incorrect data check");
  EXPECT_EQ(problem(file, file.size() - 4, static_cast<char>(file[file.size() - 4] ^ 1)),
            "damaged gzip data: incorrect length check");
}

TEST(GzipEncoderTest, TheProgramReadsOneMemberOfAnySize) {
  for (const std::size_t size : {0U, 1U, 262'144U, 262'145U, 1'000'000U}) {
    const std::string plain = text_like(size);
    for (const int level : {1, 6, 9}) {
      const std::string file = encode({.codec = Codec::gzip, .level = level}, plain, 10'007);
      EXPECT_TRUE(through("gzip -dc", file) == plain) << size;
      EXPECT_EQ(file, encode({.codec = Codec::gzip, .level = level}, plain)) << "cut otherwise";
    }
  }
}

}  // namespace
}  // namespace shardmill::codec
