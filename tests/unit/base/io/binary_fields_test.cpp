#include "base/io/binary_fields.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace shardmill::base {

struct Inner {
  std::string name;
  std::chrono::nanoseconds time{};
  auto operator<=>(const Inner&) const = default;
};
struct Outer {
  bool flag = false;
  std::uint32_t small = 0;
  std::vector<Inner> list;
  std::map<std::string, std::uint64_t> counts;
  std::array<std::byte, 3> fixed{};
  std::vector<std::byte> bytes;
  bool operator==(const Outer&) const = default;
};

template <Either<Inner> Record>
void describe(auto& fields, Record& inner) {
  fields(inner.name, inner.time);
}
template <Either<Outer> Record>
void describe(auto& fields, Record& outer) {
  fields(outer.flag, outer.small, outer.list, outer.counts, outer.fixed, outer.bytes);
}

namespace {

Outer some() {
  return {.flag = true,
          .small = 7,
          .list = {{"a", std::chrono::nanoseconds(-5)}, {"", std::chrono::nanoseconds::max()}},
          .counts = {{"x", 1}, {"y", ~std::uint64_t{0}}},
          .fixed = {std::byte{1}, std::byte{2}, std::byte{3}},
          .bytes = {std::byte{9}}};
}

std::vector<std::byte> written(const Outer& outer) {
  BinaryWriter out;
  put_fields(out, outer);
  return out.take();
}

TEST(BinaryFields, WhatIsWrittenIsRead) {
  const Outer outer = some();
  const auto bytes = written(outer);
  BinaryReader in(bytes);
  EXPECT_EQ(read_fields<Outer>(in), outer);
  EXPECT_TRUE(in.at_end());
}

TEST(BinaryFields, BytesThatEndTooEarlyAreAnError) {
  const auto bytes = written(some());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    BinaryReader in(std::span<const std::byte>(bytes).first(size));
    EXPECT_THROW(read_fields<Outer>(in), Error) << size;
  }
}

TEST(BinaryFields, NumbersAndArraysMustFit) {
  auto bytes = written({});
  bytes[8 + 4] = std::byte{1};  // `small` is 2^32
  BinaryReader large(bytes);
  EXPECT_THROW(read_fields<Outer>(large), Error);
  bytes = written({});
  bytes[32] = std::byte{2};  // the size of `fixed`
  BinaryReader other(bytes);
  EXPECT_THROW(read_fields<Outer>(other), Error);
}

}  // namespace
}  // namespace shardmill::base
