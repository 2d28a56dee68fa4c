#include "codec/gzip/salvage.hpp"

#include <algorithm>
#include <cstring>

#include "codec/formats.hpp"

namespace shardmill::codec {

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
