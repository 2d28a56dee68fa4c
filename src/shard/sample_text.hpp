// The texts of a sample: its transcript, written in the same way in tars and manifests, and its speaker.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text/json_reader.hpp"

namespace shardmill::shard {

/// `text` without a leading byte order mark and without blanks around it, including those of other scripts.
/// Each line ends with LF.
std::string clean_transcript(std::string_view text);

/// True if clean_transcript() removes more than the end of the last line, which every text file has.
bool is_unclean(std::string_view text, std::string_view clean);

/// Why the bytes are not text in UTF-8, as a predicate of the transcript ("is UTF-16, not UTF-8"); nullopt if
/// they are.
std::optional<std::string> why_not_text(std::string_view bytes);

/// The name of the speaker in a manifest line or another object: a text without blanks around it, or a number
/// as text, because 7 and "7 " are one speaker. Empty if there is no speaker, or if it is neither text nor
/// number.
std::string speaker_of(const base::JsonValue& line);
/// The same from the facts of a sample.
std::string speaker_in(const std::string& facts);

/// Why speaker_in() is empty, as a predicate: "is not known", or the value that is there in place of a name.
std::string why_no_speaker(const std::string& facts);

}  // namespace shardmill::shard
