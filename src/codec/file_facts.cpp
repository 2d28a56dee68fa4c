#include "codec/file_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/codec.hpp"
#include "codec/formats.hpp"
#include "codec/frames/frame_walk.hpp"

namespace shardmill::codec {

namespace {

constexpr double kGuessedRatio = 1.4;          // about right for speech as WAV with most codecs
constexpr std::uint64_t kHighestRatio = 1100;  // a little above the most that deflate can reach
constexpr std::size_t kBzip2SampleBytes = std::size_t{2} << 20;
constexpr std::size_t kLargestXzIndexBytes = std::size_t{4} << 20;

std::uint64_t scaled(std::uint64_t bytes, double ratio) {
  constexpr double kHighest = 1e19;  // headers may claim absurd sizes
  return static_cast<std::uint64_t>(std::min(static_cast<double>(bytes) * ratio, kHighest));
}

std::vector<std::byte> bytes_at(const base::File& file, std::uint64_t offset, std::size_t count) {
  const std::uint64_t there = file.size() - std::min(offset, file.size());
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(count, there)));
  bytes.resize(file.read_at(bytes, offset));
  return bytes;
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

/// Uses the distance between the first blocks: every block but the last is full.
std::optional<std::uint64_t> estimate_bzip2(const base::File& file, std::uint64_t size) {
  const std::vector<std::byte> head = bytes_at(file, 0, kBzip2SampleBytes);
  constexpr std::size_t kLevelAt = 3;
  if (head.size() <= kLevelAt || head[kLevelAt] < std::byte{'1'} || head[kLevelAt] > std::byte{'9'})
    return std::nullopt;
  const std::uint64_t block_bytes = 100'000 * (std::to_integer<std::uint64_t>(head[kLevelAt]) - '0');
  constexpr std::uint64_t kMagicMask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t blocks = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t window = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    window = window << 8 | std::to_integer<std::uint64_t>(head[i]);
    for (unsigned shift = 0; shift < 8; ++shift) {
      if ((window >> shift & kMagicMask) != kBzip2BlockMagic) continue;
      last = 8 * i - shift;
      if (blocks++ == 0) first = last;
    }
  }
  if (blocks < 2) return std::min(scaled(size, kGuessedRatio), blocks * block_bytes);
  const double bytes_a_block = static_cast<double>(last - first) / 8 / static_cast<double>(blocks - 1);
  return scaled(block_bytes, static_cast<double>(size) / bytes_a_block);
}

/// Uses the trailer, which holds the size of the last member modulo 2^32. This is useless for a file of
/// several members.
std::optional<std::uint64_t> estimate_gzip(const base::File& file, std::uint64_t size) {
  constexpr std::size_t kTrailerBytes = 4;
  constexpr std::uint64_t kModulus = std::uint64_t{1} << 32;
  if (size < kTrailerBytes) return std::nullopt;
  std::uint64_t plain = little_endian(bytes_at(file, size - kTrailerBytes, kTrailerBytes));
  if (size > kModulus / 2) {
    while (plain < size) plain += kModulus;
  }
  if (plain < size - size / 8) return std::nullopt;
  return plain;
}

/// Reads a number with 7 bits in each byte; nullopt if it does not end.
std::optional<std::uint64_t> take_xz_number(std::span<const std::byte>& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(bytes.front());
    bytes = bytes.subspan(1);
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

/// Uses the index at the end, which lists the blocks of the last stream.
std::optional<std::uint64_t> estimate_xz(const base::File& file, std::uint64_t size) {
  constexpr std::size_t kFooterBytes = 12;
  if (size < 2 * kFooterBytes) return std::nullopt;
  const auto footer = bytes_at(file, size - kFooterBytes, kFooterBytes);
  if (footer.size() < kFooterBytes || std::memcmp(&footer[10], "YZ", 2) != 0) return std::nullopt;
  const std::uint64_t index_bytes = 4 * (little_endian(std::span(footer).subspan(4, 4)) + 1);
  if (index_bytes > std::min<std::uint64_t>(size - kFooterBytes, kLargestXzIndexBytes)) return std::nullopt;
  const auto index = bytes_at(file, size - kFooterBytes - index_bytes, static_cast<std::size_t>(index_bytes));
  std::span<const std::byte> rest = std::span(index).subspan(1);
  const auto blocks = take_xz_number(rest);
  std::uint64_t packed = index_bytes + 2 * kFooterBytes;
  std::uint64_t plain = 0;
  for (std::uint64_t i = 0; blocks && i < *blocks; ++i) {
    const auto packed_block = take_xz_number(rest);
    const auto plain_block = take_xz_number(rest);
    if (!packed_block || !plain_block || *packed_block > size || *plain_block > kHighestRatio * size) {
      return std::nullopt;
    }
    packed += (*packed_block + 3) & ~std::uint64_t{3};
    plain += *plain_block;
  }
  if (packed >= size) return plain;
  return scaled(plain, static_cast<double>(size) / static_cast<double>(packed));
}

std::optional<std::uint64_t> extrapolated(const MeasuredPart& part, std::uint64_t size) {
  if (part.compressed == 0) return std::nullopt;
  if (part.compressed == size) return part.plain;
  return scaled(part.plain, static_cast<double>(size) / static_cast<double>(part.compressed));
}

std::optional<std::uint64_t> estimate(const base::File& file, std::uint64_t size) {
  switch (codec_of(file)) {
    case Codec::none:
      return size;
    case Codec::bzip2:
      return estimate_bzip2(file, size);
    case Codec::gzip:
      return estimate_gzip(file, size);
    case Codec::xz:
      return estimate_xz(file, size);
    case Codec::zstd:
      return extrapolated(measure_zstd(file), size);
    case Codec::lz4:
      return extrapolated(measure_lz4(file), size);
  }
  return std::nullopt;
}

}  // namespace

Codec codec_of(const base::File& file) {
  std::array<std::byte, kDetectBytes> first{};
  return detect(std::span(first).first(file.read_at(first, 0)));
}

std::uint64_t estimate_plain_bytes(const base::File& file) {
  const std::uint64_t size = file.size();
  const std::uint64_t plain = estimate(file, size).value_or(scaled(size, kGuessedRatio));
  const std::uint64_t highest = std::numeric_limits<std::uint64_t>::max() / kHighestRatio;
  return std::min(plain, std::min(size, highest) * kHighestRatio);
}

namespace {

bool is_all_frames(const base::File& file, Codec codec) {
  const std::uint64_t size = file.size();
  std::uint64_t offset = 0;
  while (offset < size) {
    const auto end = frame_end(file, codec, offset, size);
    if (!end) return false;
    offset = end->end;
  }
  return true;
}

bool ends_as_a_tar(const base::File& file) {
  constexpr std::uint64_t kBlockBytes = 512;
  const std::uint64_t size = file.size();
  if (size < 2 * kBlockBytes || size % kBlockBytes != 0) return false;
  std::array<std::byte, 2 * kBlockBytes> end;
  if (file.read_at(end, size - end.size()) != end.size()) return false;
  return std::all_of(end.begin(), end.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

/// The end of a bzip2 stream is a mark of 48 bits, which begins at any bit, and a CRC, filled up to a byte.
bool ends_as_bzip2(const base::File& file) {
  constexpr std::uint64_t kEndMark = 0x177245385090;
  constexpr std::size_t kEndBytes = 11;
  constexpr int kMarkAndCrcBits = 80;
  std::array<std::byte, kEndBytes> end{};
  const std::uint64_t size = file.size();
  if (size < end.size() || file.read_at(end, size - end.size()) != end.size()) return false;
  for (int unused = 0; unused < 8; ++unused) {
    std::uint64_t mark = 0;
    const int begin = static_cast<int>(8 * kEndBytes) - unused - kMarkAndCrcBits;
    for (int bit = begin; bit < begin + 48; ++bit)
      mark = mark << 1 |
             (std::to_integer<unsigned>(end[static_cast<std::size_t>(bit / 8)]) >> (7 - bit % 8) & 1U);
    if (mark == kEndMark) return true;
  }
  return false;
}

/// By the magic of the footer.
bool ends_as_xz(const base::File& file) {
  std::array<std::byte, 2> end{};
  const std::uint64_t size = file.size();
  return size > end.size() && file.read_at(end, size - end.size()) == end.size() &&
         end == std::array{std::byte{'Y'}, std::byte{'Z'}};
}

bool decodes(base::File& file) {
  try {
    const auto reader = open(file);
    while (const auto piece = reader->next()) {
      while (!piece->read().empty()) {
      }
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

bool looks_whole(base::File& file, Codec codec) {
  if (codec_of(file) != codec) return false;
  switch (codec) {
    case Codec::none:
      return ends_as_a_tar(file);
    case Codec::zstd:
    case Codec::lz4:
      return is_all_frames(file, codec);
    default:
      return decodes(file);
  }
}

bool looks_cut(base::File& file, Codec codec) {
  constexpr std::uint64_t kMostBytesToDecode = std::uint64_t{64} << 20;
  const bool is_packed = codec == Codec::bzip2 || codec == Codec::xz;
  if (!is_packed) return codec != Codec::gzip && !looks_whole(file, codec);
  if (codec == Codec::bzip2 ? ends_as_bzip2(file) : ends_as_xz(file)) return false;
  return file.size() > kMostBytesToDecode || !decodes(file);
}

namespace {

using namespace std::string_view_literals;

struct Form {
  std::string_view magic;  // not a possible start of a file name, and thus not of a tar
  std::string_view name;
  std::string_view reader;  // a command that writes the plain bytes
};

constexpr std::array kForms{
    Form{"\x02\x21\x4c\x18"sv, "an lz4 file in the legacy form of lz4 -l", "lz4 -dc"},
    Form{"LZIP\x01"sv, "compressed with lzip", "lzip -dc"},
    Form{"\x1f\x9d"sv, "compressed with compress (.Z)", "gzip -dc"},
    Form{"\x89LZO\0\r\n\x1a\n"sv, "compressed with lzop", "lzop -dc"},
};
constexpr Form kLzma{"\x5d"sv, "an lzma file in the format before xz", "xz -dc"};

/// True for an lzma file. It has no magic, but starts with the usual properties and the size of a dictionary.
bool is_lzma(std::span<const std::byte> first) {
  constexpr std::size_t kHeaderBytes = 13;
  if (first.size() < kHeaderBytes || first[0] != std::byte{0x5d}) return false;
  const auto little_endian = [&](std::size_t offset, std::size_t bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = bytes; i-- > 0;)
      number = number << 8 | std::to_integer<std::uint64_t>(first[offset + i]);
    return number;
  };
  constexpr std::uint64_t kLeastDictionary = 4096;
  constexpr std::uint64_t kMostPlainBytes = std::uint64_t{1} << 48;
  const std::uint64_t dictionary = little_endian(1, 4);
  const bool is_round = std::has_single_bit(dictionary) || std::has_single_bit(dictionary / 3 * 2);
  const std::uint64_t plain = little_endian(5, 8);
  return dictionary >= kLeastDictionary && is_round && (plain == UINT64_MAX || plain < kMostPlainBytes);
}

[[noreturn]] void refuse(const Form& form, const std::string& path) {
  throw Error(fmt::format("is {}, which is not read", form.name), {.path = path, .offset = 0},
              fmt::format("unpack it with {}, or compress it again with zstd or gzip", form.reader));
}

}  // namespace

void check_other_forms(const std::string& path, std::span<const std::byte> first) {
  for (const Form& form : kForms) {
    const auto magic = std::as_bytes(std::span(form.magic));
    if (first.size() >= magic.size() && std::ranges::equal(first.first(magic.size()), magic))
      refuse(form, path);
  }
  if (is_lzma(first)) refuse(kLzma, path);
}

}  // namespace shardmill::codec
