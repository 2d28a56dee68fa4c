// speaker: who speaks in a sample.
#pragma once

#include <string>

#include "base/text/json_reader.hpp"

namespace shardmill::shard {

/// The name of the speaker in a manifest line or another object: a text without blanks around it, or a number
/// as text, for 7 and "7 " are one speaker. Empty where no speaker is named, or by something else.
std::string speaker_of(const base::JsonValue& line);
/// The same of the facts of a sample.
std::string speaker_in(const std::string& facts);

/// Says of a sample whose speaker has no name that it "is not known", or what stands in place of a name.
std::string why_no_speaker(const std::string& facts);

}  // namespace shardmill::shard
