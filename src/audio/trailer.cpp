#include "audio/trailer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace shardmill::audio {

namespace {

bool is_tag(ByteView rest) {
  constexpr std::size_t kId3v1Bytes = 128;
  return (rest.has(0, "TAG") && rest.size() == kId3v1Bytes) || rest.has(0, "ID3") || rest.has(0, "APETAGEX");
}

bool is_zeros(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

std::uint32_t size_at(ByteView audio, std::size_t header, ByteOrder order) {
  return order == ByteOrder::little ? audio.le32(header + 4) : audio.be32(header + 4);
}

/// True for the names that are common enough not to be audio by chance, even if the size is wrong.
bool is_known(std::string_view id) {
  constexpr std::array<std::string_view, 20> kKnown{"LIST", "id3 ", "ID3 ", "bext", "fact", "cue ", "smpl",
                                                    "inst", "JUNK", "junk", "PAD ", "PEAK", "iXML", "axml",
                                                    "_PMX", "afsp", "FLLR", "COMT", "ANNO", "APPL"};
  return std::find(kKnown.begin(), kKnown.end(), id) != kKnown.end();
}

bool is_chunk(ByteView audio, std::uint64_t at, ByteOrder order) {
  if (at + kChunkHeaderBytes > audio.size()) return false;
  const auto header = static_cast<std::size_t>(at);
  const std::string_view id = audio.text(header, 4);
  if (is_known(id)) return true;
  return std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
         at + kChunkHeaderBytes + size_at(audio, header, order) <= audio.size();
}

/// Finds the first chunk, also if the byte of padding is missing or a few zeros come before it.
std::uint64_t begin_of_chunks(ByteView audio, std::uint64_t end, bool is_padded, ByteOrder order) {
  constexpr std::uint64_t kMostZeros = 16;
  if (is_chunk(audio, end, order)) return end;
  for (std::uint64_t at = end + 1; at <= end + kMostZeros; ++at) {
    const bool may_be = at == end + 1 ? is_padded || audio.u8(static_cast<std::size_t>(end)) == 0
                                      : audio.u8(static_cast<std::size_t>(at - 1)) == 0;
    if (!may_be) break;
    if (is_chunk(audio, at, order)) return at;
  }
  return is_padded ? end + 1 : end;
}

}  // namespace

std::uint64_t unexplained_bytes(ByteView rest) {
  return is_tag(rest) || is_zeros(rest.text(0, rest.size())) ? 0 : rest.size();
}

Trailer trailer_of(ByteView audio, std::uint64_t end, bool is_padded, ByteOrder order) {
  Trailer trailer;
  std::uint64_t at = begin_of_chunks(audio, end, is_padded, order);
  while (is_chunk(audio, at, order)) {
    const auto header = static_cast<std::size_t>(at);
    if (unexplained_bytes(audio.from(header)) == 0) break;
    const std::uint32_t bytes = size_at(audio, header, order);
    trailer.begins_with_chunk = true;
    trailer.has_data = trailer.has_data || audio.has(header, "data");
    at += kChunkHeaderBytes + std::uint64_t{bytes} + bytes % 2;
  }
  if (at < audio.size())
    trailer.unexplained_bytes = unexplained_bytes(audio.from(static_cast<std::size_t>(at)));
  return trailer;
}

}  // namespace shardmill::audio
