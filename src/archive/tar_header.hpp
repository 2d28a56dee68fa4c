// TarHeader: one header of 512 bytes, read from a tar, or written for the members that we make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardmill/sample.hpp"

namespace shardmill::archive {

inline constexpr std::size_t kTarBlockBytes = 512;
inline constexpr std::size_t kTarEndBytes = 2 * kTarBlockBytes;
/// No file can be larger than this. A few such sizes can be added without overflow.
inline constexpr std::uint64_t kTarMaxBytes = std::uint64_t{1} << 62;

using TarBlock = std::span<const std::byte, kTarBlockBytes>;

/// The fields of a header whose checksum is right. The name is untrusted data: nothing in it has been
/// checked.
struct TarHeader {
  std::string name;                   // with the ustar prefix
  std::string link_target;            // set for links
  char type = '0';                    // '0' also for the old '\0' and for '7'; '5' for old directories
  std::optional<std::uint64_t> size;  // none if the field is malformed, negative or above kTarMaxBytes
  bool has_magic = false;             // of POSIX or GNU; false for the old v7 format
  bool name_is_full = false;          // the name field is full: the name may have been cut
  bool sparse_map_continues = false;  // GNU sparse files: more blocks of the map follow
};

/// nullopt if the checksum is wrong, both with unsigned and with signed bytes.
std::optional<TarHeader> read_header(TarBlock block);

bool is_zero(std::span<const std::byte> bytes);

/// The number of bytes from the end of `size` bytes of data to the next block.
constexpr std::uint64_t padding_bytes(std::uint64_t size) {
  return (kTarBlockBytes - size % kTarBlockBytes) % kTarBlockBytes;
}

/// Appends the header of a regular file: ustar, owner and group 0 without names, mode 0644, mtime 0. A pax
/// header comes first only if the name (over 100 bytes, and impossible to divide into prefix and name) or the
/// size (8 GiB and more) needs it. Python's tarfile, GNU tar and bsdtar can read it.
void append_header(Bytes& out, std::string_view name, std::uint64_t size);

/// Appends the zeros that fill the last block of a member of `size` bytes.
void append_padding(Bytes& out, std::uint64_t size);

/// Appends the two zero blocks that end an archive.
void append_end(Bytes& out);

}  // namespace shardmill::archive
