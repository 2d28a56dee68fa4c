// TarAttributes: what the extra headers of a member say about it (pax records and GNU long names).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardmill::archive {

struct TarAttributes {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
  bool sparse = false;
  std::optional<std::string> sparse_name;  // of a sparse file, whose path is made up
};

/// Adds the records of a pax header ("LENGTH key=value\n" ...). Returns what is wrong with them as static
/// text; empty when nothing is wrong. Records before the wrong one are kept.
std::string_view read_pax(std::span<const std::byte> records, TarAttributes& attributes);

/// Adds the name from the data of a GNU 'L' header.
void read_long_name(std::span<const std::byte> data, TarAttributes& attributes);

}  // namespace shardmill::archive
