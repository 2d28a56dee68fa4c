// Transcripts: which bytes are a transcript, and how it is written, in tars and in manifests alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardmill::shard {

/// The text without a leading byte order mark and without blanks around it, including those of other scripts.
/// Each line ends with LF.
std::string clean_transcript(std::string_view text);

/// True when clean_transcript() removes more than the end of the last line, which every text file has.
bool is_unclean(std::string_view text, std::string_view clean);

/// Why the bytes are not text in UTF-8, as a predicate of the transcript ("is UTF-16, not UTF-8"); nullopt
/// when they are.
std::optional<std::string> why_not_text(std::string_view bytes);

}  // namespace shardmill::shard
