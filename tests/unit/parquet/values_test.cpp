#include "parquet/values.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::parquet {
namespace {

using namespace std::string_literals;

SchemaNode column_of(Physical type, std::uint32_t fixed_bytes = 0) {
  SchemaNode column;
  column.type = type;
  column.fixed_bytes = fixed_bytes;
  return column;
}

PageHeader page_in(Encoding encoding, std::uint32_t values = 100) {
  PageHeader header;
  header.encoding = encoding;
  header.values = values;
  return header;
}

std::vector<std::string> texts_in(Encoding encoding, const std::string& bytes, std::size_t count) {
  const SchemaNode column = column_of(Physical::byte_array);
  const auto decoder = decode_values(column, page_in(encoding), base::as_bytes(bytes), nullptr);
  std::vector<std::string> texts;
  while (texts.size() < count) {
    const auto value = decoder->next().bytes;
    texts.emplace_back(reinterpret_cast<const char*>(value.data()), value.size());
  }
  EXPECT_THROW(decoder->next(), Error);
  return texts;
}

std::vector<std::int64_t> integers_in(Physical type, const std::string& bytes, std::size_t count) {
  const SchemaNode column = column_of(type);
  const auto decoder =
      decode_values(column, page_in(Encoding::delta_binary_packed), base::as_bytes(bytes), nullptr);
  std::vector<std::int64_t> values;
  while (values.size() < count) values.push_back(decoder->next().integer);
  EXPECT_THROW(decoder->next(), Error);
  return values;
}

// The examples of the format's description, Encodings.md, where it has one.

TEST(HybridDecoder, PackedBitsAndRuns) {
  // 0 to 7 in three bits each.
  const std::string bytes = "\x03\x88\xc6\xfa"s + "\x08\x05"s;
  HybridDecoder decoder(base::as_bytes(bytes), 3);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(decoder.next(), i);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(decoder.next(), 5u);
  EXPECT_THROW(decoder.next(), Error);
}

TEST(HybridDecoder, ZeroBitsAreZeros) {
  HybridDecoder decoder({}, 0);
  EXPECT_EQ(decoder.next(), 0u);
  EXPECT_THROW(HybridDecoder({}, 33), Error);
}

TEST(Values, PlainTexts) {
  EXPECT_EQ(texts_in(Encoding::plain, "\x02\x00\x00\x00"s + "ab" + "\x00\x00\x00\x00"s, 2),
            (std::vector<std::string>{"ab", ""}));
}

TEST(Values, DifferencesOfNumbers) {
  // 1 to 5: all differences are the least one, and take no bits. Blocks of 128 in four miniblocks.
  EXPECT_EQ(integers_in(Physical::int64, "\x80\x01\x04\x05\x02\x02\x00\x00\x00\x00"s, 5),
            (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  // 7, 5, 3, 1, 2, 3, 4, 5: the least difference is -2, and the others take two bits.
  EXPECT_EQ(integers_in(Physical::int32,
                        "\x80\x01\x04\x08\x0e\x03\x02\x00\x00\x00\xc0\x3f\x00\x00\x00\x00\x00\x00"s, 8),
            (std::vector<std::int64_t>{7, 5, 3, 1, 2, 3, 4, 5}));
  EXPECT_EQ(integers_in(Physical::int64, "\x80\x01\x04\x01\x03"s, 1), std::vector<std::int64_t>{-2});
}

TEST(Values, ImpossibleBlocksOfDifferences) {
  for (const std::string& bytes :
       {"\x00\x04\x05\x02"s, "\x80\x01\x00\x05\x02"s, "\x80\x01\x03\x05\x02"s, "\x84\x01\x04\x05\x02"s,
        "\x80\x01\x04\x05\x02\x02\x41\x00\x00\x00"s, "\x80\x01\x04\x05\x02\x02\x20\x00\x00\x00"s})
    EXPECT_THROW(integers_in(Physical::int64, bytes, 5), Error);
}

TEST(Values, ABlockThatEndsBeforeItsLastDifference) {
  // Three numbers: two differences of eight bits, of which only the first is there.
  const std::string bytes = "\x08\x01\x03\x00"s + "\x00\x08\x07"s;
  EXPECT_EQ(integers_in(Physical::int64, bytes + "\x09"s, 3), (std::vector<std::int64_t>{0, 7, 16}));
  EXPECT_THROW(integers_in(Physical::int64, bytes, 3), Error);
}

TEST(Values, LengthsAndThenTexts) {
  // 5, 5, 6, 6 as differences 0, 1, 0.
  EXPECT_EQ(
      texts_in(Encoding::delta_length_byte_array,
               "\x80\x01\x04\x04\x0a\x00\x01\x00\x00\x00\x02\x00\x00\x00"s + "HelloWorldFoobarABCDEF", 4),
      (std::vector<std::string>{"Hello", "World", "Foobar", "ABCDEF"}));
}

TEST(Values, TextsThatBeginLikeTheOneBefore) {
  // Prefixes 0, 2, 0, 3 and the rests "axis", "le", "babble", "yhood".
  const std::string prefixes =
      "\x80\x01\x04\x04\x00\x03\x03\x00\x00\x00\x44\x01\x00\x00"s + std::string(8, '\0');
  const std::string lengths =
      "\x80\x01\x04\x04\x08\x03\x03\x00\x00\x00\x70\x00\x00\x00"s + std::string(8, '\0');
  EXPECT_EQ(texts_in(Encoding::delta_byte_array, prefixes + lengths + "axislebabbleyhood", 4),
            (std::vector<std::string>{"axis", "axle", "babble", "babyhood"}));
}

TEST(Values, BytesInStreams) {
  const SchemaNode column = column_of(Physical::float32);
  // 1.5 is 0x3fc00000, and -2 is 0xc0000000.
  const std::string bytes = "\x00\x00\x00\x00\xc0\x00\x3f\xc0"s;
  const auto decoder =
      decode_values(column, page_in(Encoding::byte_stream_split), base::as_bytes(bytes), nullptr);
  EXPECT_EQ(decoder->next().real, 1.5);
  EXPECT_EQ(decoder->next().real, -2);
  EXPECT_THROW(decoder->next(), Error);
}

TEST(Values, Booleans) {
  const SchemaNode column = column_of(Physical::boolean);
  const std::string plain = "\x05"s;
  const std::string runs = "\x02\x00\x00\x00\x06\x01"s;
  const auto by_bits = decode_values(column, page_in(Encoding::plain), base::as_bytes(plain), nullptr);
  const auto by_runs = decode_values(column, page_in(Encoding::rle), base::as_bytes(runs), nullptr);
  for (const std::int64_t expected : {1, 0, 1}) EXPECT_EQ(by_bits->next().integer, expected);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(by_runs->next().integer, 1);
  EXPECT_THROW(by_runs->next(), Error);
}

TEST(Values, ADictionary) {
  const SchemaNode column = column_of(Physical::byte_array);
  const std::string words = "\x01\x00\x00\x00"s + "a" + "\x02\x00\x00\x00"s + "bc";
  const auto bytes = base::as_bytes(words);
  const auto dictionary = std::make_shared<const Dictionary>(column, page_in(Encoding::plain, 2),
                                                             std::vector(bytes.begin(), bytes.end()));
  const std::string indexes = "\x01\x04\x01\x02\x00"s;
  const auto decoder =
      decode_values(column, page_in(Encoding::rle_dictionary), base::as_bytes(indexes), dictionary);
  for (const std::size_t size : {2U, 2U, 1U}) EXPECT_EQ(decoder->next().bytes.size(), size);
  EXPECT_THROW(dictionary->at(2), Error);
  EXPECT_THROW(decode_values(column, page_in(Encoding::rle_dictionary), base::as_bytes(indexes), nullptr),
               Error);
  EXPECT_THROW(Dictionary(column, page_in(Encoding::plain, 3), std::vector(bytes.begin(), bytes.end())),
               Error);
}

TEST(Values, AnEncodingThatTheTypeCannotHave) {
  const std::string bytes(8, '\0');
  for (const auto& [type, encoding] : {std::pair(Physical::byte_array, Encoding::delta_binary_packed),
                                       {Physical::int32, Encoding::delta_byte_array},
                                       {Physical::int64, Encoding::rle},
                                       {Physical::boolean, Encoding::byte_stream_split},
                                       {Physical::int32, Encoding::bit_packed}}) {
    const SchemaNode column = column_of(type);
    EXPECT_THROW(decode_values(column, page_in(encoding), base::as_bytes(bytes), nullptr), Error);
  }
}

}  // namespace
}  // namespace shardmill::parquet
