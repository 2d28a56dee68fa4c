#include <gtest/gtest.h>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"
#include "support/command_output.hpp"

namespace shardmill::codec {
namespace {

using testing::decode_in_steps;
using testing::text_like;
using testing::through;

TEST(Lz4Decoder, ReadsEveryKindOfFrameThatTheProgramWrites) {
  const std::string plain = text_like(300'000);
  for (const char* kind : {"-B4", "-B7", "-BD -B4", "-BX", "--no-frame-crc", "-9", "-BI --content-size"}) {
    const std::string file = through(std::string("lz4 -qc ") + kind, plain);
    for (const std::size_t in : {std::size_t{7}, std::size_t{65536}}) {
      std::string got;
      EXPECT_EQ(decode_in_steps(make_lz4_decoder(), file, in, 10'000, got).problem, "") << kind;
      EXPECT_TRUE(got == plain) << kind;
    }
  }
}

TEST(Lz4Decoder, EveryCutIsSeenAndEveryFlippedBitToo) {
  const std::string plain = text_like(400);
  testing::expect_all_damage_found(make_lz4_decoder, through("lz4 -qc -BX", plain), plain);
}

TEST(Lz4Encoder, TheProgramReadsItAndFindsChecksumAndSize) {
  for (const std::size_t size : {0U, 1U, 1U << 20, (1U << 20) + 1, 3'000'000U}) {
    const std::string plain = text_like(size);
    std::string file;
    const auto encoder = make_lz4_encoder(1, size, [&](std::span<const std::byte> bytes) {
      file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    encoder->write(base::as_bytes(plain));
    encoder->finish();
    EXPECT_TRUE(through("lz4 -dqc", file) == plain) << size;
    EXPECT_NE(file[4] & 4, 0) << "content checksum";
    file[file.size() - 1] = static_cast<char>(file[file.size() - 1] ^ 1);
    EXPECT_THROW(through("lz4 -dqc 2>/dev/null", file), std::exception) << size;
  }
}

TEST(Lz4Encoder, ASizeThatWasWrongIsAnError) {
  const auto encoder = make_lz4_encoder(1, 5, [](std::span<const std::byte>) {});
  encoder->write(base::as_bytes(std::string_view("1234")));
  EXPECT_THROW(encoder->finish(), Error);
}

}  // namespace
}  // namespace shardmill::codec
