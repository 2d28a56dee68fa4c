#include "shard/speaker.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "shard/transcript.hpp"

namespace shardmill::shard {

namespace {

/// Nullopt for what is neither a text nor a number.
std::optional<std::string> name_in(const base::JsonValue& speaker) {
  const std::string line = speaker.line();
  if (line.starts_with('"')) return shard::clean_transcript(speaker.text());
  const bool is_number =
      !line.empty() && (line.front() == '-' || (line.front() >= '0' && line.front() <= '9'));
  if (!is_number) return std::nullopt;
  // Tables that went through a spreadsheet have 7.0 in place of 7.
  constexpr double kAllWholeNumbers = 9007199254740992;  // up to here a double has every one
  const double number = speaker.number();
  const bool is_whole = std::trunc(number) == number && std::abs(number) < kAllWholeNumbers;
  return is_whole ? fmt::format("{:.0f}", number) : line;
}

constexpr std::string_view kSpeaker = "speaker";

bool may_name_speaker(const std::string& facts) {
  return facts.find("\"speaker\"") != facts.npos;
}

}  // namespace

std::string speaker_of(const base::JsonValue& line) {
  const auto speaker = line.find(kSpeaker);
  return speaker ? name_in(*speaker).value_or("") : std::string();
}

std::string speaker_in(const std::string& facts) {
  if (!may_name_speaker(facts)) return {};
  base::JsonParser parser;
  return speaker_of(parser.parse("{" + facts + "}"));
}

std::string why_no_speaker(const std::string& facts) {
  constexpr std::string_view kUnknown = "is not known";
  if (!may_name_speaker(facts)) return std::string(kUnknown);
  base::JsonParser parser;
  const auto speaker = parser.parse("{" + facts + "}").find(kSpeaker);
  if (!speaker || speaker->is_null()) return std::string(kUnknown);
  if (name_in(*speaker)) return "has an empty name";
  return fmt::format("is {}, which is no name", printable(speaker->line()));
}

}  // namespace shardmill::shard
