// FileProgress: how far one file of the input is read, and is known to be right.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace shardmill::pipeline {

struct FileNumber {
  std::uint32_t stream = 0;
  std::uint64_t file = 0;  // in the stream

  auto operator<=>(const FileNumber&) const = default;
};

struct FileProgress {
  FileNumber number{};
  /// Where a piece of it ends: no checksum has confirmed the plain bytes from here on.
  std::optional<std::uint64_t> unchecked_from{};
  bool is_read = false;  // to its end
};

}  // namespace shardmill::pipeline
