#include "archive/tar_search.hpp"

#include <algorithm>
#include <string_view>

#include "archive/tar_header.hpp"

namespace shardmill::archive {
namespace {

constexpr std::size_t kMagicOffset = 257;
constexpr std::string_view kUstar = "ustar";
constexpr std::size_t kNone = std::string_view::npos;

bool is_trustworthy(TarBlock block, bool magic_needed) {
  constexpr std::string_view kTypes = "0123456DKLSVgxX";
  const std::optional<TarHeader> header = read_header(block);
  return header && (header->has_magic || !magic_needed) && header->size && !header->name.empty() &&
         kTypes.find(header->type) != kNone;
}

}  // namespace

std::optional<std::size_t> find_header(std::span<const std::byte> window,
                                       std::optional<std::size_t> first_boundary) {
  if (window.size() < kTarBlockBytes) return std::nullopt;
  const std::size_t last = window.size() - kTarBlockBytes;
  const std::string_view text(reinterpret_cast<const char*>(window.data()), window.size());
  const auto next_magic = [&](std::size_t from) {
    const std::size_t found = text.find(kUstar, from + kMagicOffset);
    return found == kNone ? kNone : found - kMagicOffset;
  };
  std::size_t magic = next_magic(0);
  std::size_t boundary = first_boundary.value_or(kNone);
  while (std::min(magic, boundary) <= last) {
    const std::size_t at = std::min(magic, boundary);
    if (is_trustworthy(window.subspan(at).first<kTarBlockBytes>(), at != boundary)) return at;
    if (at == boundary) boundary += kTarBlockBytes;
    if (at == magic) magic = next_magic(at + 1);
  }
  return std::nullopt;
}

}  // namespace shardmill::archive
