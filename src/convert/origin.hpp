// ConvertedOrigin: what a result of convert was made from. It decides whether the result is up to date.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shardmill::convert {

struct ConvertedOrigin {
  std::string source;  // path relative to the folder of the results
  std::uint64_t source_bytes = 0;
  std::int64_t source_mtime_ns = 0;
  std::string codec;
  std::int64_t level = 0;
  bool seekable = false;
  bool ignore_trailing = false;
  std::optional<std::uint64_t> result_bytes{};    // none while the result is being replaced
  std::optional<std::int64_t> result_mtime_ns{};  // none also in records of earlier versions

  bool operator==(const ConvertedOrigin&) const = default;
};

/// The text for the record of the result.
std::string to_text(const ConvertedOrigin& origin);
/// Reads what to_text() wrote. An empty origin for any other text, because nothing is known then.
ConvertedOrigin origin_in(const std::string& text);

}  // namespace shardmill::convert
