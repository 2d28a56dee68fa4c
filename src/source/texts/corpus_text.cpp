#include "source/texts/corpus_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/io/folder.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/tables/table_records.hpp"

namespace shardmill::source {

namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

/// The line and those whole ones behind it that are not ASCII alone: one line may be too short to judge by.
std::string with_lines_ahead(std::string_view line, std::string_view ahead) {
  constexpr std::size_t kEnoughBytes = 4096;
  std::string text(line);
  while (text.size() < kEnoughBytes) {
    const std::size_t end = ahead.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view next = ahead.substr(0, end);
    ahead.remove_prefix(end + 1);
    if (std::any_of(next.begin(), next.end(), [](char c) { return (c & 0x80) != 0; }))
      text.append("\n").append(next);
  }
  return text;
}

/// For a line that is not UTF-8 from its first byte above 0x7F on.
Error not_utf8(std::string_view line, std::string_view ahead, std::size_t column, unsigned char byte) {
  const std::string problem = fmt::format("column {}: is not UTF-8 (byte 0x{:02X})", column, byte);
  std::vector<Encoding> encodings = possible_encodings(with_lines_ahead(line, ahead));
  if (encodings.empty()) encodings = possible_encodings(line);
  if (encodings.empty())
    return Error(problem, {},
                 "convert the file to UTF-8 from its encoding, such as CP1252, GB18030 or CP949");
  std::string names;
  for (const Encoding& encoding : encodings)
    names += fmt::format("{}{} ({})", names.empty() ? "" : " or ", encoding.name, encoding.language);
  return Error(fmt::format("{}; it may be {} or another encoding", problem, names), {},
               fmt::format("convert the file from the one that gives the right text: iconv -f {} -t UTF-8",
                           encodings.front().name));
}

}  // namespace

void CharacterCheck::check(std::string_view line, std::string_view ahead) {
  // Other encodings have pairs of bytes that are valid by chance, but hardly three, and few in a file.
  constexpr unsigned kHardlyByChance = 3;
  const std::string_view whole = line;
  if (line.ends_with('\r')) line.remove_suffix(1);
  unsigned pairs = 0;
  for (std::size_t column = 1; !line.empty(); ++column) {
    const auto byte = static_cast<unsigned char>(line.front());
    if (byte >= 0x20 && byte < 0x7F) {
      line.remove_prefix(1);
      continue;
    }
    if (is_control(line.front())) {
      throw Error(fmt::format("column {}: is the control character 0x{:02X}", column, byte), {},
                  "text is needed here, in UTF-8");
    }
    const base::Utf8Step step = base::first_utf8(line);
    if (!step.valid) {
      if (!is_utf8_) throw not_utf8(whole, ahead, column, byte);
      throw Error(
          fmt::format("column {}: is not UTF-8 (byte 0x{:02X}), but the text before it is", column, byte), {},
          "the line is damaged: put it right, or remove it");
    }
    if (step.bytes == 2) ++pairs;
    if (step.bytes >= kHardlyByChance) is_utf8_ = true;
    line.remove_prefix(step.bytes);
  }
  pairs_ = std::min(pairs_ + pairs, kHardlyByChance);
  if (pairs_ == kHardlyByChance) is_utf8_ = true;
}

CorpusText::CorpusText(const std::string& path, CorpusBuilder& builder)
    : lines_(open_table(path)), builder_(builder) {
  builder.description(path);
}

std::string_view CorpusText::without_mark(std::string_view line) {
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) {
    throw here(Error("is UTF-16, not UTF-8", {}, "convert the file: iconv -f UTF-16 -t UTF-8"));
  }
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (!line.starts_with(kMark)) return line;
  builder_.warn(Error("starts with a byte order mark, which is skipped", at(path())));
  return line.substr(kMark.size());
}

bool CorpusText::next(std::string_view& line) {
  while (lines_.next(line)) {
    if (lines_.line_number() == 1) line = without_mark(line);
    try {
      characters_.check(line, lines_.ahead());
    } catch (const Error& error) {
      throw here(error);
    }
    line = base::trimmed(line);
    if (!line.empty()) return true;
  }
  return false;
}

std::string line_of(const std::string& path, std::uint64_t line_number) {
  return fmt::format("{}: line {}", path, line_number);
}

std::string_view take_field(std::string_view& text) {
  const std::size_t end = text.find_first_of(" \t");
  const std::string_view field = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : base::trimmed(text.substr(end));
  return field;
}

void for_each_json_line(
    const std::string& path, CorpusBuilder& builder, BadLines bad_lines,
    const std::function<void(const base::JsonValue& object, const CorpusText& text)>& use) {
  CorpusText text(path, builder);
  base::JsonParser parser;
  for (std::string_view line; text.next(line);) {
    try {
      const base::JsonValue value = parser.parse(line);
      if (!value.is_object()) throw Error("is not a JSON object", {}, "each line has to be one");
      use(value, text);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      if (bad_lines == BadLines::stop) throw text.here(error);
      builder.unusable(Unusable::What::segment, line_of(path, text.line_number()), text.here(error));
    }
  }
}

std::string path_from(const base::JsonValue& value) {
  const std::string_view path = value.text();
  if (path.empty() || std::any_of(path.begin(), path.end(), is_control)) {
    throw Error(fmt::format("'{}' is no path", printable(path)));
  }
  return std::string(path);
}

std::optional<base::JsonValue> find_known(const base::JsonValue& object, std::string_view name) {
  const auto value = object.find(name);
  return value && !value->is_null() ? value : std::nullopt;
}

double seconds_in(std::string_view text) noexcept {
  const auto number = base::number_in<double>(base::trimmed(text));
  return number && std::isfinite(*number) && *number > 0 ? *number : 0;
}

double seconds_in(const base::JsonValue& object, std::string_view name) {
  const auto value = find_known(object, name);
  return value ? seconds_in(base::trimmed(value->line(), "\"")) : 0;
}

IdTable::IdTable(const std::string& path, CorpusBuilder& builder) : path_(path) {
  CorpusText text(path, builder);
  for (std::string_view line; next_row(text, line);) {
    const std::string_view id = take_field(line);
    const Row row{.id = texts_.keep(id), .value = texts_.keep(line), .line = text.line_number()};
    const auto [known, is_new] = by_id_.try_emplace(row.id, rows_.size());
    if (!is_new) {
      throw at_row(row, fmt::format("'{}' is in line {} already", id, rows_[known->second].line));
    }
    rows_.push_back(row);
  }
  if (!text.line_was_ended())
    builder.warn(Error("has no end of its last line: what it says may be cut", at(path)));
  // Where many lines are no text, the whole file is in another encoding.
  if (damaged_.size() > rows_.size() / 10) throw Error(damaged_.begin()->second);
}

/// The next line that is text, and notes those before it that are not.
bool IdTable::next_row(CorpusText& text, std::string_view& line) {
  for (;;) {
    const std::uint64_t last = text.line_number();
    try {
      return text.next(line);
    } catch (const Error& error) {
      if (text.line_number() == last) throw;  // the file cannot be read on
      const std::string id(take_field(line));
      const bool is_plain = !id.empty() && printable(id) == id;
      if (!is_plain || !damaged_.emplace(id, error).second) throw;
    }
  }
}

IdTable IdTable::if_there(const std::string& path, CorpusBuilder& builder) {
  return base::exists(path) ? IdTable(path, builder) : IdTable();
}

const IdTable::Row* IdTable::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &rows_[found->second];
}

std::optional<std::string_view> IdTable::value(std::string_view id) const {
  const Row* row = find(id);
  return row != nullptr ? std::optional(row->value) : std::nullopt;
}

Error IdTable::at_row(const Row& row, const std::string& problem, const std::string& advice) const {
  return Error(fmt::format("line {}: {}", row.line, problem), at(path_), advice);
}

namespace {

struct Bytes {
  std::string_view text;

  unsigned operator[](std::size_t i) const {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  }
};

bool lies(unsigned byte, unsigned lowest, unsigned highest) {
  return byte >= lowest && byte <= highest;
}

/// How many bytes the character at `i` has, whose first one is above 0x7F; 0 if it is not valid. `common`:
/// whether it is one that texts in this encoding are mostly made of.
struct Character {
  std::size_t bytes = 0;
  bool is_common = false;
};

Character gb18030(Bytes text, std::size_t i) {
  const unsigned lead = text[i];
  const unsigned trail = text[i + 1];
  if (!lies(lead, 0x81, 0xFE)) return {};
  // The first level of hanzi, and punctuation.
  const bool is_common = trail >= 0xA1 && (lies(lead, 0xB0, 0xD7) || lead == 0xA1 || lead == 0xA3);
  if (lies(trail, 0x40, 0xFE) && trail != 0x7F) return {2, is_common};
  const bool is_four =
      lies(trail, 0x30, 0x39) && lies(text[i + 2], 0x81, 0xFE) && lies(text[i + 3], 0x30, 0x39);
  return is_four ? Character{4} : Character{};
}

Character cp949(Bytes text, std::size_t i) {
  const unsigned lead = text[i];
  const unsigned trail = text[i + 1];
  if (!lies(lead, 0x81, 0xFD) || lead == 0xC9) return {};
  const bool is_extended =
      lead <= 0xC6 && (lies(trail, 0x41, 0x5A) || lies(trail, 0x61, 0x7A) || lies(trail, 0x81, 0xA0));
  if (!is_extended && !lies(trail, 0xA1, 0xFE)) return {};
  return {2, lies(lead, 0xB0, 0xC8) && trail >= 0xA1};
}

Character big5(Bytes text, std::size_t i) {
  if (!lies(text[i], 0xA1, 0xF9)) return {};
  if (!lies(text[i + 1], 0x40, 0x7E) && !lies(text[i + 1], 0xA1, 0xFE)) return {};
  return {2, lies(text[i], 0xA4, 0xC6) || text[i] == 0xA1};
}

Character euc_jp(Bytes text, std::size_t i) {
  if (text[i] == 0x8E) return lies(text[i + 1], 0xA1, 0xDF) ? Character{2} : Character{};
  if (text[i] == 0x8F)
    return lies(text[i + 1], 0xA1, 0xFE) && lies(text[i + 2], 0xA1, 0xFE) ? Character{3} : Character{};
  if (!lies(text[i], 0xA1, 0xFE) || !lies(text[i + 1], 0xA1, 0xFE)) return {};
  return {2, lies(text[i], 0xA4, 0xA5)};  // kana
}

Character cp932(Bytes text, std::size_t i) {
  if (lies(text[i], 0xA1, 0xDF)) return {1};  // katakana of half the width
  if (!lies(text[i], 0x81, 0x9F) && !lies(text[i], 0xE0, 0xFC)) return {};
  if (!lies(text[i + 1], 0x40, 0xFC) || text[i + 1] == 0x7F) return {};
  return {2, lies(text[i], 0x82, 0x83)};  // kana
}

struct Candidate {
  Encoding encoding;
  Character (*character)(Bytes, std::size_t);
  double usual_share;  // of common characters in texts of this encoding, at least
};

/// The order in which they are tried: the one whose characters are rarest in the others comes first.
constexpr std::array<Candidate, 5> kCandidates{{{{"EUC-JP", "Japanese"}, euc_jp, 0.25},
                                                {{"CP932", "Japanese"}, cp932, 0.25},
                                                {{"CP949", "Korean"}, cp949, 0.9},
                                                {{"GB18030", "Chinese"}, gb18030, 0.6},
                                                {{"BIG5", "Chinese"}, big5, 0.9}}};
constexpr Encoding kRussian{"CP1251", "Russian"};
constexpr Encoding kOldRussian{"KOI8-R", "Russian"};
constexpr Encoding kWestern{"CP1252", "Western European"};
constexpr Encoding kCentral{"CP1250", "Central European"};

struct Fit {
  std::size_t characters = 0;
  std::size_t common = 0;
  std::size_t low_trails = 0;  // second bytes below 0x80
  bool is_valid = true;

  bool is_likely(double share) const {
    return static_cast<double>(common) >= share * static_cast<double>(characters);
  }
};

Fit fit(Bytes text, Character (*character)(Bytes, std::size_t)) {
  Fit fit;
  for (std::size_t i = 0; i < text.text.size();) {
    if (text[i] < 0x80) {
      ++i;
      continue;
    }
    const Character one = character(text, i);
    if (one.bytes == 0) return {.is_valid = false};
    ++fit.characters;
    if (one.is_common) ++fit.common;
    if (one.bytes == 2 && text[i + 1] < 0x80) ++fit.low_trails;
    i += one.bytes;
  }
  return fit;
}

bool is_letter(unsigned byte) {
  return lies(byte | 0x20, 'a', 'z');
}

/// How much it looks like a European language, with accents among many ASCII letters. The bytes of Chinese,
/// Japanese and Korean come in twos; of these the second ones may be ASCII letters behind the bytes with
/// which kana begin.
enum class Latin { no, maybe, yes };

Latin is_latin(Bytes text) {
  std::size_t letters = 0;
  std::size_t high = 0;
  std::size_t alone = 0;
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    if (is_letter(text[i])) ++letters;
    if (text[i] < 0x80) continue;
    if (lies(text[i], 0x81, 0x83)) return Latin::no;
    ++high;
    if (text[i + 1] < 0x80 && (i == 0 || text[i - 1] < 0x80)) ++alone;
  }
  if (high == 0) return Latin::no;
  if (letters >= high && 5 * alone >= 4 * high) return Latin::yes;
  // Some accents stand side by side, as in "Grüße".
  return letters >= 2 * high && 4 * alone >= high ? Latin::maybe : Latin::no;
}

/// Cyrillic letters are in the upper half of the high bytes: in CP1251 the small ones above the capitals, in
/// KOI8-R below. Returns nothing for other bytes.
std::vector<Encoding> cyrillic(Bytes text) {
  std::size_t low = 0;
  std::size_t top = 0;
  std::size_t high = 0;
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    if (text[i] < 0x80) continue;
    ++high;
    if (lies(text[i], 0xC0, 0xDF)) ++low;
    if (lies(text[i], 0xE0, 0xFF)) ++top;
  }
  if (10 * (low + top) < 9 * high) return {};
  if (low > top) return {kOldRussian, kRussian};
  return {kRussian, kOldRussian};
}

}  // namespace

std::vector<Encoding> possible_encodings(std::string_view line) {
  constexpr std::size_t kFewestBytes = 4;
  // So many characters among the Hangul are rarely all Chinese: about half of those in a Chinese text lie
  // there.
  constexpr std::size_t kFewestHangul = 6;
  constexpr double kBig5Trails = 0.15;  // half of its second bytes are ASCII; in GB18030 hardly any
  const auto high = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0x80) != 0; });
  const Latin latin = is_latin({line});
  if (latin == Latin::yes) return {kWestern, kCentral};
  if (static_cast<std::size_t>(high) < kFewestBytes) return {};
  std::vector<Encoding> likely;
  std::vector<Encoding> others;
  bool is_big5 = false;
  for (const Candidate& candidate : kCandidates) {
    const Fit found = fit({line}, candidate.character);
    if (!found.is_valid) continue;
    bool is_likely = found.is_likely(candidate.usual_share);
    if (candidate.encoding.name == "CP949") is_likely = is_likely && found.characters >= kFewestHangul;
    if (candidate.encoding.name == "BIG5")
      is_big5 = is_likely &&
                static_cast<double>(found.low_trails) >= kBig5Trails * static_cast<double>(found.characters);
    (is_likely ? likely : others).push_back(candidate.encoding);
  }
  if (is_big5) std::rotate(likely.begin(), likely.end() - 1, likely.end());
  if (latin == Latin::maybe) likely.insert(likely.end(), {kWestern, kCentral});
  const std::vector<Encoding> letters = cyrillic({line});
  likely.insert(likely.end(), letters.begin(), letters.end());
  likely.insert(likely.end(), others.begin(), others.end());
  if (likely.empty()) likely = {kWestern, kCentral};
  return likely;
}

}  // namespace shardmill::source
