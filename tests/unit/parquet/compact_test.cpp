#include "parquet/compact.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/io/file.hpp"

namespace shardmill::parquet {
namespace {

using Type = CompactReader::Type;

/// A struct with everything that headers and footers have.
std::string written_struct() {
  std::string out;
  CompactWriter writer(out);
  writer.int32(1, -5);
  writer.int64(2, std::numeric_limits<std::int64_t>::min());
  writer.begin_list(3, CompactWriter::Element::text, 2);
  writer.text_element("a");
  writer.text_element("");
  writer.begin_struct(40);
  writer.text(1, "inner");
  writer.end_struct();
  writer.begin_list(41, CompactWriter::Element::structure, 1);
  writer.begin_element();
  writer.int32(7, 7);
  writer.end_struct();
  writer.end_struct();
  return out;
}

TEST(CompactReader, ReadsWhatTheWriterWrites) {
  const std::string bytes = written_struct();
  CompactReader reader(base::as_bytes(bytes));
  std::int64_t small = 0;
  std::int64_t large = 0;
  std::int64_t seven = 0;
  std::string texts;
  std::string inner;
  reader.fields([&](int field, Type type) {
    if (field == 1) return void(small = reader.integer(type));
    if (field == 2) return void(large = reader.integer(type));
    if (field == 3)
      return reader.elements(type, [&](Type each) {
        texts += reader.text(each);
        texts += '|';
      });
    if (field == 40) return reader.fields(type, [&](int, Type each) { inner = reader.text(each); });
    reader.elements(
        type, [&](Type each) { reader.fields(each, [&](int, Type kind) { seven = reader.integer(kind); }); });
  });
  EXPECT_EQ(small, -5);
  EXPECT_EQ(large, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(texts, "a||");
  EXPECT_EQ(inner, "inner");
  EXPECT_EQ(seven, 7);
  EXPECT_EQ(reader.consumed(), bytes.size());
}

/// As hyparquet-writer has it.
TEST(CompactReader, AnEmptyListNeedsNoType) {
  const std::string bytes("\x19\x00\x00", 3);
  CompactReader reader(base::as_bytes(bytes));
  std::size_t elements = 0;
  reader.fields([&](int, Type type) { reader.elements(type, [&](Type) { ++elements; }); });
  EXPECT_EQ(elements, 0U);
  EXPECT_EQ(reader.consumed(), bytes.size());
}

TEST(CompactReader, SkipsEverything) {
  const std::string bytes = written_struct();
  CompactReader reader(base::as_bytes(bytes));
  reader.fields([&](int, Type type) { reader.skip(type); });
  EXPECT_EQ(reader.consumed(), bytes.size());
}

TEST(CompactReader, KnowsThatMoreBytesMightHelp) {
  const std::string bytes = written_struct();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CompactReader reader(base::as_bytes(std::string_view(bytes).substr(0, size)));
    EXPECT_THROW(reader.fields([&](int, Type type) { reader.skip(type); }), Error) << size;
    EXPECT_TRUE(reader.is_cut()) << size;
  }
}

TEST(CompactReader, AnotherTypeIsAnError) {
  const std::string bytes = written_struct();
  CompactReader reader(base::as_bytes(bytes));
  EXPECT_THROW(reader.fields([&](int, Type type) { reader.text(type); }), Error);
}

TEST(CompactReader, StructsInStructsHaveAnEnd) {
  const std::string bytes(1000, '\x1c');
  CompactReader reader(base::as_bytes(bytes));
  EXPECT_THROW(reader.fields([&](int, Type type) { reader.skip(type); }), Error);
  EXPECT_FALSE(reader.is_cut());
}

}  // namespace
namespace {

TEST(CompactWriter, NumbersAreZigzagAndFieldsAreSteps) {
  std::string out;
  CompactWriter writer(out);
  writer.int32(1, 1);
  writer.int32(3, -1);
  writer.int64(4, 300);
  writer.end_struct();
  EXPECT_EQ(out, std::string("\x15\x02\x25\x01\x16\xd8\x04\x00", 8));
}

TEST(CompactWriter, AStepOfMoreThanFifteenIsWrittenOut) {
  std::string out;
  CompactWriter writer(out);
  writer.int32(16, 0);
  EXPECT_EQ(out, std::string("\x05\x20\x00", 3));
}

TEST(CompactWriter, TheSmallestNumber) {
  std::string out;
  CompactWriter writer(out);
  writer.int64(1, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(out, std::string("\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
}

TEST(CompactWriter, FieldsCountAnewInEachStruct) {
  std::string out;
  CompactWriter writer(out);
  writer.begin_struct(5);
  writer.text(1, "ab");
  writer.end_struct();
  writer.int32(6, 0);
  EXPECT_EQ(out, std::string("\x5c\x18\x02"
                             "ab\x00\x15\x00",
                             8));
}

TEST(CompactWriter, LongListsHaveTheirSizeApart) {
  std::string out;
  CompactWriter writer(out);
  writer.begin_list(1, CompactWriter::Element::int32, 14);
  writer.begin_list(2, CompactWriter::Element::structure, 15);
  writer.begin_list(3, CompactWriter::Element::text, 200);
  EXPECT_EQ(out, std::string("\x19\xe5\x19\xfc\x0f\x19\xf8\xc8\x01", 9));
}

}  // namespace
}  // namespace shardmill::parquet
