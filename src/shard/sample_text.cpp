#include "shard/sample_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/text/letters.hpp"

namespace shardmill::shard {

namespace {

// The byte order mark, the no-break space and the ideographic space.
constexpr std::array<std::string_view, 3> kWideBlanks{"\xEF\xBB\xBF", "\xC2\xA0", "\xE3\x80\x80"};
constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::size_t blank_at_start(std::string_view text) {
  if (text.empty()) return 0;
  if (kBlanks.find(text.front()) != std::string_view::npos) return 1;
  for (const std::string_view blank : kWideBlanks) {
    if (text.starts_with(blank)) return blank.size();
  }
  return 0;
}

std::size_t blank_at_end(std::string_view text) {
  if (text.empty()) return 0;
  if (kBlanks.find(text.back()) != std::string_view::npos) return 1;
  for (const std::string_view blank : kWideBlanks) {
    if (text.ends_with(blank)) return blank.size();
  }
  return 0;
}

}  // namespace

std::string clean_transcript(std::string_view text) {
  while (const std::size_t bytes = blank_at_start(text)) text.remove_prefix(bytes);
  while (const std::size_t bytes = blank_at_end(text)) text.remove_suffix(bytes);
  std::string clean(text);
  if (text.find('\r') == std::string_view::npos) return clean;
  clean.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      clean += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      clean += '\n';
    }
  }
  return clean;
}

bool is_unclean(std::string_view text, std::string_view clean) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text != clean;
}

std::optional<std::string> why_not_text(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return "is UTF-16, not UTF-8";
  // UTF-16 without a mark is mostly valid UTF-8, except for zero bytes.
  if (bytes.find('\0') != std::string_view::npos) return "holds zero bytes: it is UTF-16, or not text";
  if (!base::is_utf8(bytes)) return "is not UTF-8";
  return std::nullopt;
}

namespace {

/// nullopt for a value that is neither text nor number.
std::optional<std::string> name_in(const base::JsonValue& speaker) {
  const std::string line = speaker.line();
  if (line.starts_with('"')) return shard::clean_transcript(speaker.text());
  const bool is_number =
      !line.empty() && (line.front() == '-' || (line.front() >= '0' && line.front() <= '9'));
  if (!is_number) return std::nullopt;
  // Tables from a spreadsheet may have 7.0 instead of 7.
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
  constexpr std::size_t kMostNames = 8;
  base::JsonParser parser;
  const std::string object = "{" + facts + "}";
  const base::JsonValue fields = parser.parse(object);
  const auto speaker = fields.find(kSpeaker);
  if (!speaker || speaker->is_null()) {
    std::string names;
    std::size_t named = 0;
    for (const auto& [name, value] : fields.members()) {
      if (named++ == kMostNames) break;
      names += fmt::format("{}{}", names.empty() ? " (its fields: " : ", ", printable(std::string(name)));
    }
    return fmt::format("is not known{}{}", names, names.empty() ? "" : ")");
  }
  if (name_in(*speaker)) return "has an empty name";
  return fmt::format("is {}, which is not a name", printable(speaker->line()));
}

}  // namespace shardmill::shard
