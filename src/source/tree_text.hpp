// Getting at the text files of a tree, packed ones included.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/io/file.hpp"

namespace shardmill::source {

/// A text file larger than this is refused.
inline constexpr std::uint64_t kTextLimitBytes = std::uint64_t{16} << 30;

/// The same for a text in an archive of `archive_bytes`: a text of a corpus does not unpack to much more.
constexpr std::uint64_t text_limit_bytes(std::uint64_t archive_bytes) {
  constexpr std::uint64_t kAlwaysBytes = std::uint64_t{256} << 20;
  constexpr std::uint64_t kMostTimes = 100;
  const std::uint64_t most = kAlwaysBytes + kMostTimes * std::min(archive_bytes, kTextLimitBytes);
  return std::min(most, kTextLimitBytes);
}

/// The whole of a file, unpacked where it is compressed. Throws Error.
std::string text_content(const std::string& path);

/// The same of an open file.
std::string text_content(base::File& file);

/// The same for a text that was read from an archive; `place` is for errors.
std::string text_content(std::string&& bytes, const std::string& place);

}  // namespace shardmill::source
