#include "source/texts/captions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_meetings.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kArrow = "-->";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// In the pattern, 0 is any digit and '.' also a comma, which other subtitles have.
bool begins_like(std::string_view text, std::string_view pattern) {
  const auto fits = [](char wanted, char c) {
    if (wanted == '0') return is_digit(c);
    return c == wanted || (wanted == '.' && c == ',');
  };
  return text.size() >= pattern.size() && std::equal(pattern.begin(), pattern.end(), text.begin(), fits);
}

bool holds_like(std::string_view text, std::string_view pattern) {
  for (; text.size() >= pattern.size(); text.remove_prefix(1)) {
    if (begins_like(text, pattern)) return true;
  }
  return false;
}

/// Also of a line that was damaged.
bool is_meant_as_times(std::string_view line) {
  const bool has_piece_of_arrow = line.find("->") != line.npos;
  return line.find(kArrow) != line.npos || (has_piece_of_arrow && holds_like(line, "00:00")) ||
         holds_like(line, "00:00.000") || begins_like(line, "00:00:00");
}

/// Of "01:02:03.400" or "02:03.400"; nullopt for all else.
std::optional<double> seconds_of(std::string_view time) {
  constexpr std::string_view kShort = "00:00.000";
  constexpr std::size_t kMostHours = 4;  // digits
  if (time.size() < kShort.size()) return std::nullopt;
  std::string_view hours = time.substr(0, time.size() - kShort.size());
  time.remove_prefix(hours.size());
  const bool is_in_range = begins_like(time, kShort) && time[5] == '.' && time[0] < '6' && time[3] < '6';
  if (!is_in_range) return std::nullopt;
  double minutes = seconds_from(time.substr(0, 2));
  if (!hours.empty()) {
    if (!hours.ends_with(':')) return std::nullopt;
    hours.remove_suffix(1);
    const bool is_number =
        !hours.empty() && hours.size() <= kMostHours && std::ranges::all_of(hours, is_digit);
    if (!is_number) return std::nullopt;
    minutes += seconds_from(hours) * 60;
  }
  return base::decimal_sum(minutes * 60, seconds_from(time.substr(3)));
}

/// Of "00:00:12.300 --> 00:00:17.500 align:start".
std::optional<Caption> times_of(std::string_view line) {
  constexpr std::string_view kBetween = " \t";
  const std::size_t arrow = line.find(kArrow);
  if (arrow == line.npos) return std::nullopt;
  std::string_view end = base::trimmed(line.substr(arrow + kArrow.size()), kBetween);
  end = end.substr(0, end.find_first_of(kBetween));
  const auto begin_seconds = seconds_of(base::trimmed(line.substr(0, arrow), kBetween));
  const auto end_seconds = seconds_of(end);
  if (!begin_seconds || !end_seconds) return std::nullopt;
  return Caption{.begin = *begin_seconds, .end = *end_seconds};
}

class CaptionReader {
 public:
  explicit CaptionReader(const TreeText& text) : text_(text) {}

  std::vector<Caption> read() {
    TreeLines lines(text_);
    for (std::string_view line; lines.next(line);) {
      // The blank lines are left out.
      if (lines.line_number() != number_ + 1) end_block();
      const bool is_first = number_ == 0;
      number_ = lines.line_number();
      if (is_first && line.starts_with("WEBVTT")) {
        block_ = Block::head;
      } else {
        take(line);
      }
    }
    end_block();
    return std::move(captions_);
  }

 private:
  /// What the last line belongs to, where no blank line has ended it.
  enum class Block { none, head, skipped, name, cue };

  [[noreturn]] void refuse(std::uint64_t number, std::string_view problem) const {
    throw Error(fmt::format("line {}: {}", number, problem), at(text_.place),
                "mend it, or download the file again: times are like 00:00:12.300 --> 00:00:17.500");
  }

  [[noreturn]] void refuse_name() const { refuse(name_number_, "is text without times above it"); }

  void end_block() {
    if (block_ == Block::name) refuse_name();
    block_ = Block::none;
  }

  void take(std::string_view line) {
    if (block_ == Block::none && begins_skipped(line)) block_ = Block::skipped;
    if (block_ == Block::skipped) return;
    if (is_meant_as_times(line)) return begin_cue(line);
    if (block_ == Block::cue) return add_words(line);
    if (block_ == Block::name) refuse_name();
    if (block_ == Block::head) return;
    block_ = Block::name;
    name_number_ = number_;
  }

  static bool begins_skipped(std::string_view line) {
    constexpr std::array<std::string_view, 3> kSkipped{"NOTE", "STYLE", "REGION"};
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    return std::ranges::find(kSkipped, word) != kSkipped.end() && (word == "NOTE" || word == line);
  }

  void begin_cue(std::string_view line) {
    auto caption = times_of(line);
    if (!caption) refuse(number_, fmt::format("has no good times: '{}'", printable(line)));
    captions_.push_back(std::move(*caption));
    block_ = Block::cue;
  }

  void add_words(std::string_view line) {
    std::string& words = captions_.back().words;
    words += words.empty() ? "" : " ";
    words += line;
  }

  const TreeText& text_;
  std::vector<Caption> captions_;
  Block block_ = Block::none;
  std::uint64_t number_ = 0;       // of the last line
  std::uint64_t name_number_ = 0;  // of the line that may be the name of a cue
};

}  // namespace

std::vector<Caption> captions_in(const TreeText& text) {
  return CaptionReader(text).read();
}

}  // namespace shardmill::source
