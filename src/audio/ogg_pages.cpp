#include "audio/ogg_pages.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>

#include "audio/byte_view.hpp"

namespace shardmill::audio {

namespace {

constexpr std::size_t kHeaderBytes = 27;  // then comes a table with the sizes of its segments
constexpr std::size_t kChecksumAt = 22;
constexpr std::string_view kPageBegin = "OggS";

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc >> 31 != 0 ? 0x04c11db7U : 0U);
    table[i] = crc;
  }
  return table;
}

/// The page's checksum, for which its own four bytes count as zero.
std::uint32_t checksum(ByteView page) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < page.size(); ++at) {
    const bool own = at >= kChecksumAt && at < kChecksumAt + 4;
    crc = crc << 8 ^ kTable[crc >> 24 ^ (own ? 0 : page.u8(at))];
  }
  return crc;
}

std::size_t page_bytes(ByteView page) {
  const std::size_t segments = page.u8(kHeaderBytes - 1);
  std::size_t bytes = kHeaderBytes + segments;
  for (std::size_t i = 0; i < segments; ++i) bytes += page.u8(kHeaderBytes + i);
  return bytes;
}

}  // namespace

std::string ogg_damage(std::span<const std::byte> ogg) {
  const ByteView file(ogg);
  std::size_t at = file.text(0, file.size()).find(kPageBegin);
  if (at == std::string_view::npos) return "it has no Ogg page";
  std::map<std::uint32_t, std::uint32_t> next_numbers;  // by stream
  bool ended = false;
  while (file.has(at, kPageBegin)) {
    const std::size_t bytes = page_bytes(file.from(at));
    if (bytes > file.size() - at) return fmt::format("the Ogg page at byte {} is cut off", at);
    const ByteView page = file.from(at).first(bytes);
    if (checksum(page) != page.le32(kChecksumAt)) {
      return fmt::format("the Ogg page at byte {} has a wrong checksum", at);
    }
    const std::uint32_t number = page.le32(18);
    const auto [next, first] = next_numbers.try_emplace(page.le32(14), number);
    if (next->second != number) {
      return fmt::format("page {} of the Ogg stream is missing: page {} comes at byte {}", next->second,
                         number, at);
    }
    next->second = number + 1;
    ended = (page.u8(5) & 4) != 0;
    at += bytes;
  }
  const bool more = file.text(at, file.size()).find(kPageBegin) != std::string_view::npos;
  if (more || (!ended && at < file.size())) return fmt::format("no Ogg page begins at byte {}", at);
  return {};
}

}  // namespace shardmill::audio
