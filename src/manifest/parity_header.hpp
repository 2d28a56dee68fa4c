// The header of a parity file: it says which group of files the file protects, and which parity file of the
// group it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::manifest {

/// After the parity bytes come the SHA-256 of everything before it, in hexadecimal digits, and a newline.
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
  std::vector<File> files;  // shorter ones count as if zeros followed them

  /// The size of the longest file. A parity file without header and seal has the same size.
  std::uint64_t payload_bytes() const;

  bool operator==(const ParityGroup&) const = default;
};

/// "parity/shards_000000.p00".
std::string parity_file_name(std::string_view group, std::uint32_t parity);
bool is_parity_file_name(std::string_view inner_path);

/// The header of parity file `parity` of the group. It has two lines: the first says what this is, the second
/// is JSON.
std::string parity_header(const ParityGroup& group, std::uint32_t parity);

struct FoundParityHeader {
  ParityGroup group;
  std::uint32_t parity = 0;
  std::uint64_t bytes = 0;  // of the header
};
/// `text` begins like the file. Throws Error, without a place, for anything that parity_header() does not
/// write, and NewerFormat.
FoundParityHeader parity_header_in(std::string_view text);
/// The same for a file, which must have the size that follows from its header. Errors name the file.
FoundParityHeader read_parity_header(const std::string& path);

}  // namespace shardmill::manifest
