#include "parquet/compact_writer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace shardmill::parquet {
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
