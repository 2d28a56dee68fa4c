#include "parquet/compact.hpp"

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
  std::uint64_t count = head >> kTypeBits;
  // Some writers give an empty list no type.
  if (count == 0) return 0;
  element = checked(head & kTypeMask);
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

namespace {

constexpr std::uint8_t kThriftInt32 = 5;
constexpr std::uint8_t kThriftInt64 = 6;
constexpr std::uint8_t kThriftText = 8;
constexpr std::uint8_t kThriftList = 9;
constexpr std::uint8_t kThriftStruct = 12;
/// Larger numbers do not fit into the half byte beside a type.
constexpr int kHighestStep = 15;
constexpr std::size_t kShortList = 14;

}  // namespace

void CompactWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
  out_ += static_cast<char>(value);
}

void CompactWriter::signed_varint(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  varint(value < 0 ? ~(bits << 1) : bits << 1);
}

void CompactWriter::header(int field, std::uint8_t type) {
  const int step = field - last_fields_.back();
  last_fields_.back() = field;
  if (step >= 1 && step <= kHighestStep) {
    out_ += static_cast<char>(step << 4 | type);
    return;
  }
  out_ += static_cast<char>(type);
  signed_varint(field);
}

void CompactWriter::int32(int field, std::int32_t value) {
  header(field, kThriftInt32);
  signed_varint(value);
}

void CompactWriter::int64(int field, std::int64_t value) {
  header(field, kThriftInt64);
  signed_varint(value);
}

void CompactWriter::text(int field, std::string_view value) {
  header(field, kThriftText);
  text_element(value);
}

void CompactWriter::begin_struct(int field) {
  header(field, kThriftStruct);
  last_fields_.push_back(0);
}

void CompactWriter::end_struct() {
  out_ += '\0';
  last_fields_.pop_back();
}

void CompactWriter::begin_list(int field, Element kind, std::size_t count) {
  header(field, kThriftList);
  const auto type = static_cast<unsigned>(kind);
  if (count <= kShortList) {
    out_ += static_cast<char>(count << 4 | type);
  } else {
    out_ += static_cast<char>(0xf0 | type);
    varint(count);
  }
}

void CompactWriter::int32_element(std::int32_t value) {
  signed_varint(value);
}

void CompactWriter::text_element(std::string_view value) {
  varint(value.size());
  out_ += value;
}

void CompactWriter::begin_element() {
  last_fields_.push_back(0);
}

}  // namespace shardmill::parquet
