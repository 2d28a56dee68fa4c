// CorpusText: the lines of a text file that describes a corpus, checked to be text.
// encoding_guess: which encodings a line of text may have that is not UTF-8.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/text_arena.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// Looks at the lines of a text, one after the other.
class CharacterCheck {
 public:
  /// Throws Error, with the column in characters, for text that is not UTF-8 and for control characters. It
  /// names the encodings that the line may have, judged by the text `ahead` of it as well, unless what came
  /// before can only be UTF-8.
  void check(std::string_view line, std::string_view ahead = {});

 private:
  bool is_utf8_ = false;
  unsigned pairs_ = 0;  // characters of two bytes in good lines
};

class CorpusText {
 public:
  /// The file becomes one of the descriptions of the corpus. Throws Error when it cannot be read.
  CorpusText(const std::string& path, CorpusBuilder& builder);

  /// The next line that is not blank, without the blanks, tabs and CR around it. Throws Error, with line and
  /// column, for text that is not UTF-8 and for control characters; warns about a byte order mark.
  bool next(std::string_view& line);

  const std::string& path() const noexcept { return lines_.path(); }
  std::uint64_t line_number() const noexcept { return lines_.line_number(); }
  /// False if the line that next() gave last may be cut, because the file ends inside it.
  bool line_was_ended() const noexcept { return lines_.line_was_ended(); }
  /// The same error with the file and the line that next() gave last.
  Error here(const Error& error) const { return lines_.here(error); }

 private:
  std::string_view without_mark(std::string_view line);

  base::LineReader lines_;
  CharacterCheck characters_;
  CorpusBuilder& builder_;
};

/// "train/wav.scp: line 7"
std::string line_of(const std::string& path, std::uint64_t line_number);

/// Takes the text before the first blank or tab off `text`, with the blanks after it.
std::string_view take_field(std::string_view& text);

enum class BadLines { stop, unusable };

/// Calls `use` with each line of a file as a JSON object. Of a line that is something else, and of errors of
/// `use`, throws Error, with the line, or makes the line unusable. A UsageError is thrown.
void for_each_json_line(
    const std::string& path, CorpusBuilder& builder, BadLines bad_lines,
    const std::function<void(const base::JsonValue& object, const CorpusText& text)>& use);

/// The text of a JSON value that names a file. Throws Error for an empty one and for control characters.
std::string path_from(const base::JsonValue& value);

/// A member that is there and not null.
std::optional<base::JsonValue> find_known(const base::JsonValue& object, std::string_view name);

/// A length that is published with an utterance, in seconds; 0 for text that gives none.
double seconds_in(std::string_view text) noexcept;
/// The same of a member, a number or its text.
double seconds_in(const base::JsonValue& object, std::string_view name);

class IdTable {
 public:
  struct Row {
    std::string_view id;
    std::string_view value;  // the rest of the line, without the blanks around it
    std::uint64_t line = 0;
  };

  IdTable() = default;
  /// A tenth of the lines may be no text, if their ids can be told. Throws Error for more, when the file
  /// cannot be read, and for an id that comes twice.
  IdTable(const std::string& path, CorpusBuilder& builder);
  /// An empty table when there is no such file.
  static IdTable if_there(const std::string& path, CorpusBuilder& builder);

  const std::string& path() const noexcept { return path_; }
  const std::vector<Row>& rows() const noexcept { return rows_; }
  const Row* find(std::string_view id) const;
  std::optional<std::string_view> value(std::string_view id) const;
  /// Why the line of an id is no text.
  const std::map<std::string, Error, std::less<>>& damaged() const noexcept { return damaged_; }
  /// An error that names the file and the line of a row of this table.
  Error at_row(const Row& row, const std::string& problem, const std::string& advice = {}) const;

 private:
  bool next_row(CorpusText& text, std::string_view& line);

  std::string path_;
  base::TextArena texts_;
  std::vector<Row> rows_;  // in the order of the file
  std::unordered_map<std::string_view, std::size_t> by_id_;
  std::map<std::string, Error, std::less<>> damaged_;
};

/// An encoding by iconv's name, and its language.
struct Encoding {
  std::string_view name;
  std::string_view language;

  bool operator==(const Encoding&) const = default;
};

/// The encodings of Chinese, Korean and Japanese in which `line` is valid, the most likely first. More than
/// one is the usual case, because their bytes are nearly the same. "CP1251" represents all encodings with one
/// byte a letter; it is among them if nothing else fits well. Empty if the line has too few bytes above 0x7F
/// to judge.
std::vector<Encoding> possible_encodings(std::string_view line);

}  // namespace shardmill::source
