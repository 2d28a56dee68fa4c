#include "parquet/compact_reader.hpp"

namespace shardmill::parquet {

namespace {

constexpr int kDeepest = 64;
constexpr unsigned kTypeBits = 4;
constexpr unsigned kTypeMask = 15;
constexpr std::size_t kLongList = 15;  // the length follows

}  // namespace

void CompactReader::expect(bool is_right) {
  if (!is_right) throw Error("a field has another type than it should have");
}

void CompactReader::enter() {
  if (++depth_ > kDeepest) throw Error("structs are nested too deeply");
}

CompactReader::Type CompactReader::checked(unsigned type) {
  if (type == 0 || type > static_cast<unsigned>(Type::uuid)) throw Error("a field has an unknown type");
  return static_cast<Type>(type);
}

std::span<const std::byte> CompactReader::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) {
    is_cut_ = true;
    throw Error("ends too early");
  }
  const auto taken = bytes_.subspan(at_, static_cast<std::size_t>(count));
  at_ += taken.size();
  return taken;
}

std::uint8_t CompactReader::byte() {
  return std::to_integer<std::uint8_t>(take(1).front());
}

std::uint64_t CompactReader::varint() {
  constexpr unsigned kBits = 64;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kBits; shift += 7) {
    const std::uint8_t next = byte();
    value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
    if (next < 0x80) return value;
  }
  throw Error("a number is too long");
}

bool CompactReader::next_field(int& field, Type& type) {
  const std::uint8_t head = byte();
  if (head == 0) return false;
  type = checked(head & kTypeMask);
  if (const int step = head >> kTypeBits; step != 0) {
    field += step;
  } else {
    const std::int64_t number = integer(Type::int16);
    if (number < 0 || number > INT16_MAX) throw Error("a field has an impossible number");
    field = static_cast<int>(number);
  }
  return true;
}

std::size_t CompactReader::begin_list(Type& element) {
  const std::uint8_t head = byte();
  element = checked(head & kTypeMask);
  std::uint64_t count = head >> kTypeBits;
  if (count == kLongList) count = varint();
  // Each element takes a byte at least.
  if (count > bytes_.size() - at_) {
    is_cut_ = true;
    throw Error("a list is longer than its bytes");
  }
  return static_cast<std::size_t>(count);
}

std::int64_t CompactReader::integer(Type type) {
  if (type == Type::int8) return static_cast<std::int8_t>(byte());
  expect(type == Type::int16 || type == Type::int32 || type == Type::int64);
  const std::uint64_t bits = varint();
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

bool CompactReader::truth(Type type) {
  expect(type == Type::yes || type == Type::no);
  return type == Type::yes;
}

std::string_view CompactReader::text(Type type) {
  expect(type == Type::text);
  const auto bytes = take(varint());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void CompactReader::skip(Type type) {
  switch (type) {
    case Type::yes:
    case Type::no:
      return;
    case Type::int8:
      byte();
      return;
    case Type::int16:
    case Type::int32:
    case Type::int64:
      varint();
      return;
    case Type::real:
      take(sizeof(double));
      return;
    case Type::text:
      take(varint());
      return;
    case Type::uuid:
      take(16);
      return;
    case Type::structure:
      fields([&](int, Type inner) { skip(inner); });
      return;
    case Type::list:
    case Type::set:
      enter();
      elements(type, [&](Type element) {
        // A truth value is a byte in a list, and part of the head of a field.
        if (element == Type::yes || element == Type::no) return void(byte());
        skip(element);
      });
      leave();
      return;
    case Type::map: {
      enter();
      const std::uint64_t count = varint();
      if (count > bytes_.size() - at_) throw Error("a map is longer than its bytes");
      const std::uint8_t types = count == 0 ? 0 : byte();
      for (std::uint64_t i = 0; i < count; ++i) {
        for (const unsigned each : {unsigned{types} >> kTypeBits, types & kTypeMask}) {
          const Type kind = checked(each);
          kind == Type::yes || kind == Type::no ? void(byte()) : skip(kind);
        }
      }
      leave();
      return;
    }
  }
}

}  // namespace shardmill::parquet
