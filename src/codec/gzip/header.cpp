#include "codec/gzip/header.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "codec/formats.hpp"

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

namespace {

constexpr std::size_t kPackedBytes = std::size_t{256} << 10;
constexpr std::size_t kPlainBytes = std::size_t{1} << 20;
constexpr std::size_t kHeaderBytes = 4;  // needed to recognise a header: the magic, the method and the flags
// A malicious file may seem to have headers everywhere. The search ends after this number of useless bytes.
constexpr std::uint64_t kMostWastedBytes = std::uint64_t{1} << 30;

bool is_header(const std::byte* bytes) {
  constexpr std::byte kDeflate{8};
  constexpr std::byte kReservedFlags{0xe0};
  return std::memcmp(bytes, kGzipMagic.data(), kGzipMagic.size()) == 0 && bytes[2] == kDeflate &&
         (bytes[3] & kReservedFlags) == std::byte{0};
}

}  // namespace

GzipSalvage::GzipSalvage(const base::File& file, std::uint64_t offset)
    : file_(file),
      offset_(offset),
      decoder_(make_gzip_library_decoder()),
      packed_(kPackedBytes),
      plain_(kPlainBytes) {}

std::span<const std::byte> GzipSalvage::read() {
  while (inside_ || find_member()) {
    const Progress progress = step();
    inside_ = !progress.ended;
    if (progress.ended) offset_ = next_read_ - (packed_.size() - packed_used_);
    if (progress.produced > 0) return std::span(plain_).first(progress.produced);
  }
  return {};
}

/// Enters the next good member.
bool GzipSalvage::find_member() {
  while (wasted_bytes_ < kMostWastedBytes) {
    const auto header = find_header(offset_);
    if (!header) break;
    offset_ = *header;
    if (is_sound(*header)) {
      begin_member(*header);
      inside_ = true;
      return true;
    }
    ++offset_;
  }
  offset_ = file_.size();
  return false;
}

std::optional<std::uint64_t> GzipSalvage::find_header(std::uint64_t offset) const {
  std::vector<std::byte> chunk(kPackedBytes);
  for (;; offset += chunk.size() - (kHeaderBytes - 1)) {
    chunk.resize(file_.read_at(chunk, offset));
    if (chunk.size() < kHeaderBytes) return std::nullopt;
    for (std::size_t i = 0; i + kHeaderBytes <= chunk.size(); ++i) {
      if (is_header(chunk.data() + i)) return offset + i;
    }
  }
}

bool GzipSalvage::is_sound(std::uint64_t begin) {
  begin_member(begin);
  std::uint64_t plain_bytes = 0;
  for (;;) {
    const Progress progress = step();
    plain_bytes += progress.produced;
    if (progress.ended) return true;
    const bool stuck = progress.consumed == 0 && progress.produced == 0;
    if (!progress.problem.empty() || stuck) break;
  }
  wasted_bytes_ += plain_bytes;
  return false;
}

void GzipSalvage::begin_member(std::uint64_t begin) {
  decoder_->begin();
  packed_.clear();
  packed_used_ = 0;
  next_read_ = begin;
}

/// Decodes the member as far as there is room.
Progress GzipSalvage::step() {
  if (packed_used_ == packed_.size()) {
    packed_.resize(kPackedBytes);
    packed_.resize(file_.read_at(packed_, next_read_));
    next_read_ += packed_.size();
    packed_used_ = 0;
  }
  Progress progress = decoder_->decode(std::span(packed_).subspan(packed_used_), plain_);
  packed_used_ += progress.consumed;
  return progress;
}

}  // namespace shardmill::codec
