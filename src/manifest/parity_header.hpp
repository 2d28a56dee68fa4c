// The header of a parity file: which group of files it protects, and which of the group's parity files it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::manifest {

/// Behind the bytes: the SHA-256 of all before it, in hexadecimal digits, and a newline.
inline constexpr std::size_t kParitySealBytes = 65;

/// Files that are protected together: any `parity_files` of them, or of their parity files, may be lost.
struct ParityGroup {
  struct File {
    std::string path;  // relative to the dataset's folder
    std::uint64_t bytes = 0;
    std::string sha256;

    bool operator==(const File&) const = default;
  };

  std::string name;
  std::uint32_t parity_files = 0;
  std::vector<File> files;  // a shorter one counts as if zeros followed

  /// Of the longest file, and so of each parity file without header and seal.
  std::uint64_t payload_bytes() const;

  bool operator==(const ParityGroup&) const = default;
};

/// "parity/shards_000000.p00".
std::string parity_file_name(std::string_view group, std::uint32_t parity);
bool is_parity_file_name(std::string_view inner_path);

/// Of parity file `parity` of the group. Two lines: the first says what this is, the second is JSON.
std::string parity_header(const ParityGroup& group, std::uint32_t parity);

struct FoundParityHeader {
  ParityGroup group;
  std::uint32_t parity = 0;
  std::uint64_t bytes = 0;  // of the header
};
/// `text` begins like the file. Throws Error, without a place, for anything that parity_header() does not
/// write, and NewerFormat.
FoundParityHeader parity_header_in(std::string_view text);
/// The same for a file, which must have the size that its header asks for. Errors name it.
FoundParityHeader read_parity_header(const std::string& path);

}  // namespace shardmill::manifest
