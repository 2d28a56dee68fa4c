// One tar header: read from a block of 512 bytes, and written for the members that we make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/sample.hpp"

namespace shardmill::archive {

inline constexpr std::size_t kTarBlockBytes = 512;
inline constexpr std::size_t kTarEndBytes = 2 * kTarBlockBytes;
/// Sizes beyond this are nonsense; sums of a few of them still fit.
inline constexpr std::uint64_t kTarMaxBytes = std::uint64_t{1} << 62;

using TarBlock = std::span<const std::byte, kTarBlockBytes>;

/// The fields of a header whose checksum is right. Names are data: nothing is known of them yet.
struct TarHeader {
  std::string name;                   // with the ustar prefix
  std::string link_target;            // of links
  char type = '0';                    // '0' also for the old '\0' and for '7'; '5' for old directories
  std::optional<std::uint64_t> size;  // none when the field is malformed, negative or above kTarMaxBytes
  bool has_magic = false;             // POSIX or GNU; false for the old v7 format
  bool name_is_full = false;          // no room was left in the name field: it may have been cut
  bool sparse_map_continues = false;  // GNU sparse files: blocks of the map follow
};

/// nullopt when neither the unsigned nor the signed checksum fits.
std::optional<TarHeader> read_header(TarBlock block);

bool is_zero(std::span<const std::byte> bytes);

/// From the end of `size` bytes of data to the next block.
constexpr std::uint64_t padding_bytes(std::uint64_t size) {
  return (kTarBlockBytes - size % kTarBlockBytes) % kTarBlockBytes;
}

/// Appends the header of a regular file: ustar, owner and group 0 without names, mode 0644, mtime 0. A pax
/// header goes before it only where a name (over 100 bytes, no split into prefix and name) or a size (8 GiB
/// and more) needs one. Readable by Python's tarfile, GNU tar and bsdtar.
void append_header(Bytes& out, std::string_view name, std::uint64_t size);

/// The zeros that complete the last block of a member of `size` bytes.
void append_padding(Bytes& out, std::uint64_t size);

/// The two zero blocks that end an archive.
void append_end(Bytes& out);

}  // namespace shardmill::archive
