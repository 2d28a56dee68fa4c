#include "codec/whole.hpp"

#include <algorithm>
#include <array>

#include "codec/frames/frame_end.hpp"

namespace shardmill::codec {

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

Codec detect_file(const base::File& file) {
  std::array<std::byte, kDetectBytes> first;
  return detect(std::span(first).first(file.read_at(first, 0)));
}

}  // namespace

bool looks_whole(base::File& file, Codec codec) {
  if (detect_file(file) != codec) return false;
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

}  // namespace shardmill::codec
