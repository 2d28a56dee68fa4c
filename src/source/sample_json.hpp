// SampleJson: what the KEY.json beside KEY.mp3 says, as Emilia, YODAS2 and others have it.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace shardmill::source {

struct SampleJson {
  std::optional<std::string> text;
  std::string facts;  // all else: members of a manifest line
};

/// `text_field`: where the transcript stands. `known`: names of facts that are not repeated. nullopt when
/// it is no JSON object.
std::optional<SampleJson> read_sample_json(std::string_view json, std::string_view text_field,
                                           std::set<std::string, std::less<>> known = {});

/// Why these bytes are no JSON, as of a file that is empty or damaged; empty where they are some.
std::string why_not_json(std::string_view json);

/// Where the transcript stands when the user names no field.
inline constexpr std::string_view kUsualTextField = "text";

}  // namespace shardmill::source
