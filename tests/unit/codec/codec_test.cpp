#include "codec/codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/bytes.hpp"
#include "support/command_output.hpp"

namespace shardmill::codec {

namespace {

using testing::encode;
using testing::noise;
using testing::read_bytes;
using testing::text_like;
using testing::through;

Codec detect_text(std::string_view first) {
  return detect(base::as_bytes(first));
}

TEST(Detect, KnowsEachCodecByItsFirstBytes) {
  for (const Codec codec : kAllCodecs) {
    if (codec == Codec::none) continue;
    const std::string compressed = through(std::string(name(codec)) + " -c -q", text_like(100));
    EXPECT_EQ(detect_text(std::string_view(compressed).substr(0, kDetectBytes)), codec) << name(codec);
    EXPECT_EQ(detect_text(compressed), codec) << name(codec);
  }
}

TEST(Detect, EverythingElseIsPlain) {
  for (const std::string_view first : {"", "B", "BZ", "BZh", "BZh0", "BZip2", "\x1f",
                                       "\xfd"
                                       "7zX",
                                       "tar file"}) {
    EXPECT_EQ(detect_text(first), Codec::none) << first;
  }
}

TEST(Detect, SkippableFramesAreToldApartByWhatFollows) {
  const std::string empty_frame("\x50\x2a\x4d\x18\0\0\0\0", 8);
  EXPECT_EQ(detect_text(empty_frame), Codec::zstd);
  EXPECT_EQ(detect_text(empty_frame + "\x04\x22\x4d\x18"), Codec::lz4);
  EXPECT_EQ(detect_text(empty_frame + empty_frame + "\x28\xb5\x2f\xfd"), Codec::zstd);
}

TEST(Names, GoThereAndBack) {
  for (const Codec codec : kAllCodecs) EXPECT_EQ(codec_by_name(name(codec)), codec);
  EXPECT_EQ(codec_by_name("brotli"), std::nullopt);
}

TEST(PlainFile, IsReadAsItIs) {
  for (const std::size_t size : {0u, 1u, 1u << 20, (1u << 20) + 1, 3'333'333u}) {
    const std::string plain = noise(size);
    const testing::Outcome outcome = read_bytes(plain, testing::Schedule::threads);
    EXPECT_TRUE(outcome.plain == plain);
    EXPECT_EQ(outcome.piece_bytes.size(), (size + (1 << 20) - 1) >> 20);
    EXPECT_TRUE(testing::read_pipe(plain).plain == plain);
  }
}

struct Writer {
  EncoderOptions options;
  const char* decompress;
};

class Encoders : public ::testing::TestWithParam<Writer> {};

TEST_P(Encoders, WriteWhatTheProgramReads) {
  for (const std::string& plain : {std::string(), std::string("x"), text_like(5'000'000), noise(1'048'576)}) {
    const std::string compressed = encode(GetParam().options, plain);
    EXPECT_TRUE(through(GetParam().decompress, compressed) == plain);
    EXPECT_TRUE(read_bytes(compressed).plain == plain);
  }
}

TEST_P(Encoders, OutputDoesNotDependOnHowTheInputIsCut) {
  const std::string plain = text_like(2'500'000);
  const std::string whole = encode(GetParam().options, plain);
  for (const std::size_t cut : {997u, 65'536u, 262'144u, 1'000'001u}) {
    EXPECT_TRUE(encode(GetParam().options, plain, cut) == whole) << cut;
  }
}

TEST_P(Encoders, EveryLevelCanBeReadBack) {
  const LevelRange range = levels(GetParam().options.codec).value();
  const std::string plain = text_like(60'000);
  for (int level = range.lowest; level <= range.highest; ++level) {
    EncoderOptions options = GetParam().options;
    options.level = level;
    EXPECT_EQ(through(GetParam().decompress, encode(options, plain)), plain) << level;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, Encoders,
                         ::testing::Values(Writer{{.codec = Codec::none}, "cat"},
                                           Writer{{.codec = Codec::gzip}, "gzip -dc"},
                                           Writer{{.codec = Codec::zstd}, "zstd -dqc"},
                                           Writer{{.codec = Codec::zstd, .seekable = true}, "zstd -dqc"},
                                           Writer{{.codec = Codec::lz4}, "lz4 -dqc"}),
                         [](const auto& each) {
                           return std::string(name(each.param.options.codec)) +
                                  (each.param.options.seekable ? "_seekable" : "");
                         });

TEST(Encoder, SaysWhatItHolds) {
  const auto bytes = [](Codec codec, int level) {
    return encoder_memory_bytes({.codec = codec, .level = level});
  };
  EXPECT_LE(bytes(Codec::zstd, 1), 4U << 20);
  EXPECT_GE(bytes(Codec::zstd, 19), 64U << 20);
  EXPECT_GE(bytes(Codec::zstd, 22), 512U << 20);
  EXPECT_LE(bytes(Codec::gzip, 9), 1U << 20);
}

TEST(Encoder, RecordsTheSizeWhenItIsKnown) {
  const std::string plain = text_like(1'000'000);
  const auto zstd = encode({.codec = Codec::zstd, .plain_bytes = plain.size()}, plain);
  EXPECT_EQ(ZSTD_getFrameContentSize(zstd.data(), zstd.size()), plain.size());
  EXPECT_TRUE(through("lz4 -dqc", encode({.codec = Codec::lz4, .plain_bytes = plain.size()}, plain)) ==
              plain);
}

TEST(Encoder, ASizeThatWasWrongIsAnError) {
  for (const Codec codec : {Codec::zstd, Codec::lz4}) {
    EXPECT_THROW(encode({.codec = codec, .plain_bytes = 5}, noise(400'000)), Error);
  }
}

TEST(Encoder, GzipHeaderHoldsNeitherTimeNorSystem) {
  const std::string header = encode({.codec = Codec::gzip}, "x").substr(0, 10);
  EXPECT_EQ(header, std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));
}

TEST(Encoder, WrongOptionsAreUsageErrors) {
  const auto make = [](EncoderOptions options) { make_encoder(options, [](auto) {}); };
  EXPECT_THROW(make({.codec = Codec::bzip2}), UsageError);
  EXPECT_THROW(make({.codec = Codec::xz}), UsageError);
  EXPECT_THROW(make({.codec = Codec::zstd, .level = 23}), UsageError);
  EXPECT_THROW(make({.codec = Codec::gzip, .level = 0}), UsageError);
  EXPECT_THROW(make({.codec = Codec::none, .level = 3}), UsageError);
  EXPECT_THROW(make({.codec = Codec::lz4, .seekable = true}), UsageError);
}

TEST(SeekableZstd, TableDescribesTheFrames) {
  const std::string plain = text_like((std::size_t{5} << 20) / 2);
  const std::string file = encode({.codec = Codec::zstd, .seekable = true}, plain);
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value |= std::uint32_t{static_cast<unsigned char>(file[at + i])} << (8 * i);
    return value;
  };
  ASSERT_EQ(number(file.size() - 4), 0x8f92eab1);
  ASSERT_EQ(number(file.size() - 9), 3);
  std::size_t entry = file.size() - 9 - 3 * 8;
  ASSERT_EQ(number(entry - 8), 0x184d2a5e);
  ASSERT_EQ(number(entry - 4), 3 * 8 + 9);
  const std::size_t table = entry - 8;
  std::size_t from = 0;
  std::string back;
  for (int frame = 0; frame < 3; ++frame, entry += 8) {
    const std::string part = through("zstd -dqc", file.substr(from, number(entry)));
    EXPECT_EQ(part.size(), number(entry + 4));
    back += part;
    from += number(entry);
  }
  EXPECT_EQ(from, table);
  EXPECT_TRUE(back == plain);
}

}  // namespace

namespace {

TEST(CodecLibraryVersions, AreThoseThatPkgConfigNames) {
  const auto versions = library_versions();
  const char* packages[] = {"bzip2", "liblz4", "liblzma", "libzstd", "zlib", "libisal"};  // in the same order
  ASSERT_EQ(versions.size() + missing_libraries().size(), 6u);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string installed = shardmill::testing::command_output(std::string("pkg-config --modversion ") +
                                                                     packages[i] + " 2>/dev/null || true");
    if (installed.empty()) continue;  // Debian's libbz2 has no such file
    EXPECT_EQ(versions[i].second + "\n", installed) << versions[i].first;
  }
}

}  // namespace

namespace {

using testing::text_like;
using testing::through;

std::string unpacked(BlockForm form, const std::string& packed, std::size_t bytes) {
  Bytes plain(bytes);
  unpack_block(form, shardmill::testing::bytes_of(packed), plain);
  return shardmill::testing::text_of(plain);
}

TEST(Blocks, SnappyByItsDescription) {
  using namespace std::string_literals;
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x00"s, 0), "");
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x03\x08"s + "abc", 3), "abc");
  // A literal whose length takes a byte of its own: 60 means one more byte, and the length less one.
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x46\xf0\x45"s + std::string(70, 'x'), 70), std::string(70, 'x'));
  // Copies with offsets of one, two and four bytes; the first repeats what it writes itself.
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x0a\x04"s + "ab" + "\x11\x02"s, 10), "ababababab");
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x06\x08"s + "abc" + "\x0a\x03\x00"s, 6), "abcabc");
  EXPECT_EQ(unpacked(BlockForm::snappy, "\x06\x08"s + "abc" + "\x0b\x03\x00\x00\x00"s, 6), "abcabc");
  // A long copy in steps, far from the end.
  const std::string long_copy =
      "\xa0\x01\x24"s + "0123456789" + "\xfe\x0a\x00"s + "\xfe\x0a\x00"s + "\x56\x0a\x00"s;
  std::string expected;
  for (std::size_t i = 0; i < 160; ++i) expected += static_cast<char>('0' + i % 10);
  EXPECT_EQ(unpacked(BlockForm::snappy, long_copy, 160), expected);
}

TEST(Blocks, DamagedSnappyIsNoted) {
  using namespace std::string_literals;
  const std::string good = "\x0a\x04"s + "ab" + "\x11\x02"s;
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(unpacked(BlockForm::snappy, good.substr(0, size), 10), Error) << size;
  EXPECT_THROW(unpacked(BlockForm::snappy, good, 9), Error);
  EXPECT_THROW(unpacked(BlockForm::snappy, good + "\x00"s, 10), Error);
  EXPECT_THROW(unpacked(BlockForm::snappy, "\x0a\x04"s + "ab" + "\x11\x03"s, 10), Error);  // before the start
  EXPECT_THROW(unpacked(BlockForm::snappy, "\x0a\x04"s + "ab" + "\x11\x00"s, 10), Error);
  EXPECT_THROW(unpacked(BlockForm::snappy, "\x0a\xfc\xff\xff\xff\xff"s, 10), Error);
}

TEST(Blocks, OfTheProgramsOfTheCodecs) {
  const std::string plain = text_like(300'000);
  EXPECT_TRUE(unpacked(BlockForm::gzip, through("gzip -c", plain), plain.size()) == plain);
  EXPECT_TRUE(unpacked(BlockForm::zstd, through("zstd -qc", plain), plain.size()) == plain);
  const std::string twice = through("gzip -c", plain) + through("gzip -c", plain);
  EXPECT_TRUE(unpacked(BlockForm::gzip, twice, 2 * plain.size()) == plain + plain);
  for (const BlockForm form : {BlockForm::gzip, BlockForm::zstd}) {
    const std::string packed = through(form == BlockForm::gzip ? "gzip -c" : "zstd -qc", plain);
    EXPECT_THROW(unpacked(form, packed.substr(0, packed.size() - 9), plain.size()), Error);
    EXPECT_THROW(unpacked(form, packed, plain.size() - 1), Error);
    EXPECT_THROW(unpacked(form, packed, plain.size() + 1), Error);
    EXPECT_LE(plain.size(), most_plain_bytes(form, packed.size()));
  }
}

TEST(Blocks, Lz4WithoutFrames) {
  using namespace std::string_literals;
  // Two literals, a match of eight bytes two back, and literals at the end.
  const std::string packed = "\x24"s + "ab" + "\x02\x00\x50"s + "cdefg";
  EXPECT_EQ(unpacked(BlockForm::lz4, packed, 15),
            "ababababab"
            "cdefg");
  EXPECT_THROW(unpacked(BlockForm::lz4, packed, 16), Error);
  EXPECT_THROW(unpacked(BlockForm::lz4, packed.substr(0, 4), 15), Error);
}

}  // namespace
}  // namespace shardmill::codec
