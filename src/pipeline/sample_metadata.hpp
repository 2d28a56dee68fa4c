// SampleMetadata: what the KEY.json of a sample says, as Emilia, YODAS2 and others have it beside the audio.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardmill::pipeline {

struct SampleMetadata {
  std::optional<std::string> text;
  std::string facts;  // all else: members of a manifest line
};

/// `text_field`: where the transcript stands; empty: in "text". `known`: facts that are known already, and
/// are not repeated. nullopt when the member is no JSON object.
std::optional<SampleMetadata> read_metadata(std::string_view json, std::string_view text_field,
                                            std::string_view known);

/// What is wrong with the member where it is no JSON at all: a transcript may be lost in it. Empty: nothing
/// is.
std::string metadata_damage(std::string_view json);

/// What is called `text_field` when the user names none.
inline constexpr std::string_view kUsualTextField = "text";

}  // namespace shardmill::pipeline
