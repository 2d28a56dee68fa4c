// Transcripts: what is text, and how it is written, in tars and in manifests alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardmill::shard {

/// The text without a byte order mark in front and without blanks around it, those of other scripts too; each
/// line ends in LF.
std::string clean_transcript(std::string_view text);

/// True when clean_transcript() takes away more than the end of the last line, with which text files end.
bool is_unclean(std::string_view text, std::string_view clean);

/// Why the bytes are no text in UTF-8, said of the transcript ("is UTF-16, not UTF-8"); nullopt when they
/// are.
std::optional<std::string> why_not_text(std::string_view bytes);

}  // namespace shardmill::shard
