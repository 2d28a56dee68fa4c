#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/io/file.hpp"
#include "parquet/row_reader.hpp"

namespace shardmill::parquet {
namespace {

using namespace std::string_literals;

SchemaNode column(Physical type, Meaning meaning = Meaning::plain) {
  SchemaNode node;
  node.type = type;
  node.meaning = meaning;
  return node;
}

std::string json_of(const SchemaNode& node, const Scalar& value) {
  std::string out;
  const bool is_kept = append_json(out, node, value);
  EXPECT_TRUE(is_kept || out == "null");
  return is_kept ? out : "left out";
}
std::string json_of(const SchemaNode& node, std::int64_t value) {
  return json_of(node, Scalar{.integer = value});
}
std::string json_of(const SchemaNode& node, std::string_view bytes) {
  return json_of(node, Scalar{.bytes = base::as_bytes(bytes)});
}

TEST(ScalarJson, DatesAndTimes) {
  EXPECT_EQ(json_of(column(Physical::int32, Meaning::date), 19782), R"("2024-02-29")");
  EXPECT_EQ(json_of(column(Physical::int32, Meaning::date), -1), R"("1969-12-31")");
  EXPECT_EQ(json_of(column(Physical::int32, Meaning::date), 2'000'000'000), R"("2000000000")");
  SchemaNode time = column(Physical::int64, Meaning::timestamp);
  time.unit = Unit::microseconds;
  time.is_utc = true;
  EXPECT_EQ(json_of(time, -1), R"("1969-12-31T23:59:59.999999Z")");
  // No date: some writers have such a number for "none".
  EXPECT_EQ(json_of(time, std::numeric_limits<std::int64_t>::max()), R"("9223372036854775807")");
  time = column(Physical::int32, Meaning::time);
  EXPECT_EQ(json_of(time, 86'399'125), R"("23:59:59.125")");
}

TEST(ScalarJson, DecimalsHaveAllTheirDigits) {
  SchemaNode decimal = column(Physical::int64, Meaning::decimal);
  decimal.scale = 3;
  EXPECT_EQ(json_of(decimal, -5), "-0.005");
  EXPECT_EQ(json_of(decimal, std::numeric_limits<std::int64_t>::min()), "-9223372036854775.808");
  decimal.type = Physical::fixed_bytes;
  EXPECT_EQ(json_of(decimal, "\xff\xfe"s), "-0.002");
  EXPECT_EQ(json_of(decimal, "\x01\x00\x00\x00\x00\x00\x00\x00\x00"s), "18446744073709551.616");
}

TEST(ScalarJson, NumbersAndBytes) {
  EXPECT_EQ(json_of(column(Physical::int32, Meaning::unsigned_integer), -1), "4294967295");
  EXPECT_EQ(json_of(column(Physical::float32), Scalar{.real = static_cast<double>(0.1F)}), "0.1");
  EXPECT_EQ(json_of(column(Physical::float32), Scalar{.real = 2}), "2.0");
  EXPECT_EQ(json_of(column(Physical::float32), Scalar{.real = std::numeric_limits<double>::infinity()}),
            "null");
  EXPECT_EQ(json_of(column(Physical::boolean), 1), "true");
  EXPECT_EQ(json_of(column(Physical::byte_array), "a\"b"), R"("a\"b")");
  EXPECT_EQ(json_of(column(Physical::byte_array), "\xff\xfe"), "left out");
  EXPECT_EQ(json_of(column(Physical::fixed_bytes, Meaning::uuid), "0123456789abcdef"),
            R"("30313233-3435-3637-3839-616263646566")");
  EXPECT_EQ(json_of(column(Physical::fixed_bytes, Meaning::float16), "\x00\x3e"s), "1.5");
}

}  // namespace
}  // namespace shardmill::parquet
