// data.list and SHA256SUMS: the two records that consist of plain lines, not of JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::manifest {

/// `root`/`inner_path`: the name of a file of the dataset in lists.
std::string listed_path(std::string_view root, std::string_view inner_path);

/// Throws UsageError for a root with control characters, because the format cannot escape them.
void check_list_root(std::string_view root);

/// Appends a line of data.list: listed_path(). Throws Error when the path holds control characters.
void append_list_line(std::string& out, std::string_view root, std::string_view inner_path);
/// The lines of data.list. Strict: throws Error, with file and line, for an empty line or one that was cut.
std::vector<std::string> read_list(const std::string& path);

struct Checksum {
  std::string sha256;
  std::string path;  // relative to the dataset's folder
};

/// Appends a line that `sha256sum -c` accepts.
void append_line(std::string& out, const Checksum& checksum);
/// The lines of SHA256SUMS. Strict: throws Error, with file and line, for a line that append_line() would not
/// write.
std::vector<Checksum> read_checksums(const std::string& path);

}  // namespace shardmill::manifest
