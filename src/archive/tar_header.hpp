// The parts of a tar that need no state of its parser: headers of 512 bytes, read from a tar or written for
// the members that we make, extra headers, members that are not files, odd names, the search for the next
// good header, and the bytes after the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/finding.hpp"
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

/// The facts in the extra headers of a member (pax records and GNU long names).
struct TarAttributes {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
  bool sparse = false;
  std::optional<std::string> sparse_name;  // the real name of a sparse file
};

/// Adds the records of a pax header ("LENGTH key=value\n" ...). Returns a static description of the problem,
/// or an empty text if the records are valid. Records before the wrong one are kept.
std::string_view read_pax(std::span<const std::byte> records, TarAttributes& attributes);

/// Adds the name from the data of a GNU 'L' header.
void read_long_name(std::span<const std::byte> data, TarAttributes& attributes);

/// A member that is not a regular file.
struct NoFile {
  ShardProblem problem;
  std::string text;       // "a symbolic link to 'x'"
  bool has_data = false;  // data of the size in its header follows
};
NoFile no_file(const TarHeader& header);

/// True for a name that is empty or absolute, or has '..' or control characters, which many readers refuse.
bool is_odd_name(std::string_view name);

/// Finds the next header in damaged data: the first position in `window` of a whole header with a right
/// checksum, a known type, and a plausible name and size. Most positions also need the magic of POSIX or GNU
/// tar. On a block boundary (`first_boundary` and every 512 bytes from there, if known) an old v7 header is
/// accepted, too.
std::optional<std::size_t> find_header(std::span<const std::byte> window,
                                       std::optional<std::size_t> first_boundary);

/// Checks the bytes after the two zero blocks that end a tar.
class TarEnd {
 public:
  /// `offset`: the start of the two zero blocks.
  void begin(std::uint64_t offset) { offset_ = offset; }
  /// Adds bytes after them; the first one is at `offset`.
  void add(std::span<const std::byte> bytes, std::uint64_t offset);
  /// Describes unexpected trailing bytes in a tar of `tar_bytes` bytes: anything that is not zero, more
  /// padding than the tar's record size explains, or a last block that is not whole. In that case bytes may
  /// be missing in a member that reaches into the padding.
  std::optional<ShardFinding> finding(std::uint64_t tar_bytes) const;

 private:
  std::optional<std::uint64_t> offset_;
  std::optional<std::uint64_t> data_;  // the first byte that is not zero
};

}  // namespace shardmill::archive
