#include "codec/gzip/header.hpp"

#include <zlib.h>

namespace shardmill::codec {

std::uint32_t plain_gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  // An empty span may have a null pointer, for which zlib returns its initial value.
  return bytes.empty() ? crc : static_cast<std::uint32_t>(crc32_z(crc, data, bytes.size()));
}

std::uint32_t joined_gzip_crc(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return static_cast<std::uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

namespace {

constexpr std::uint8_t kHasChecksum = 0x02;
constexpr std::uint8_t kHasExtra = 0x04;
constexpr std::uint8_t kHasName = 0x08;
constexpr std::uint8_t kHasComment = 0x10;
constexpr std::uint8_t kReserved = 0xe0;
constexpr std::byte kDeflated{8};
constexpr std::uint32_t kFixedBytes = 10;

}  // namespace

std::size_t GzipHeader::feed(std::span<const std::byte> bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && problem_ == nullptr && !is_whole()) take(bytes[taken++]);
  return taken;
}

void GzipHeader::take(std::byte byte) {
  if (field_ != Field::checksum) crc_ = gzip_crc(crc_, std::span(&byte, 1));
  const std::uint32_t place = taken_++;
  const auto value = std::to_integer<std::uint32_t>(byte);
  switch (field_) {
    case Field::fixed:
      if (place == 2) number_ = value;
      if (place == 3) {
        flags_ = static_cast<std::uint8_t>(value);
        if (number_ != std::to_integer<std::uint32_t>(kDeflated)) {
          problem_ = "unknown compression method";
        } else if ((flags_ & kReserved) != 0) {
          problem_ = "unknown header flags set";
        }
      }
      if (taken_ == kFixedBytes) enter_next();
      break;
    case Field::extra_length:
    case Field::checksum:
      number_ |= value << (8 * place);
      if (taken_ < 2) break;
      if (field_ == Field::checksum && number_ != (crc_ & 0xffff)) {
        problem_ = "header crc mismatch";
        break;
      }
      enter_next();
      break;
    case Field::extra:
      if (taken_ == number_) enter_next();
      break;
    case Field::name:
    case Field::comment:
      if (value == 0) enter_next();
      break;
    case Field::end:
      break;
  }
}

bool GzipHeader::has(Field field) const noexcept {
  switch (field) {
    case Field::extra_length:
    case Field::extra:
      return (flags_ & kHasExtra) != 0;
    case Field::name:
      return (flags_ & kHasName) != 0;
    case Field::comment:
      return (flags_ & kHasComment) != 0;
    case Field::checksum:
      return (flags_ & kHasChecksum) != 0;
    default:
      return true;
  }
}

void GzipHeader::enter_next() {
  const bool no_extra = field_ == Field::extra_length && number_ == 0;
  const std::uint32_t extra_bytes = number_;
  do {
    field_ = static_cast<Field>(static_cast<std::uint8_t>(field_) + 1);
  } while (!has(field_) || (field_ == Field::extra && no_extra));
  taken_ = 0;
  number_ = field_ == Field::extra ? extra_bytes : 0;
}

void GzipHeader::save(base::BinaryWriter& out) const {
  out.put(static_cast<std::uint64_t>(field_));
  out.put(flags_);
  out.put(taken_);
  out.put(number_);
  out.put(crc_);
}

void GzipHeader::restore(base::BinaryReader& in) {
  field_ = static_cast<Field>(in.number());
  flags_ = static_cast<std::uint8_t>(in.number());
  taken_ = static_cast<std::uint32_t>(in.number());
  number_ = static_cast<std::uint32_t>(in.number());
  crc_ = static_cast<std::uint32_t>(in.number());
}

}  // namespace shardmill::codec
