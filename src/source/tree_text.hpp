// Getting at the text files of a tree, packed ones included; and SampleJson: the KEY.json beside KEY.mp3, as
// Emilia, YODAS2 and others have it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
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

struct SampleJson {
  std::optional<std::string> text;
  std::string facts;  // all else: members of a manifest line
};

/// `text_field`: the name of the transcript; empty: "text" or another usual name. `known`: names of facts
/// that are not repeated. NaN and Infinity, which Python writes, count as null. nullopt when it is no JSON
/// object.
std::optional<SampleJson> read_sample_json(std::string_view json, std::string_view text_field,
                                           std::set<std::string, std::less<>> known = {});

/// Why these bytes are no JSON, as of a file that is empty or damaged; empty where they are some, if not an
/// object. What such a file said of its sample, as who speaks, is lost.
std::string why_not_json(std::string_view json);

/// Where the transcript stands when the user names no field.
inline constexpr std::string_view kUsualTextField = "text";

}  // namespace shardmill::source
