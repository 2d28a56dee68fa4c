#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "codec/formats.hpp"

namespace shardmill::codec {

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
