// CorpusText: the lines of a text file that describes a corpus, checked to be text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

class CorpusText {
 public:
  /// The file becomes one of the descriptions of the corpus. Throws Error when it cannot be read.
  CorpusText(const std::string& path, CorpusBuilder& builder);

  /// The next line that is not blank, without the blanks, tabs and CR around it. Throws Error, with line and
  /// column, for what is not UTF-8 and for control characters; a byte order mark is only worth a warning.
  bool next(std::string_view& line);

  const std::string& path() const noexcept { return lines_.path(); }
  std::uint64_t line_number() const noexcept { return lines_.line_number(); }
  /// The same error with the file and the line that next() gave last.
  Error here(const Error& error) const { return lines_.here(error); }

 private:
  std::string_view without_mark(std::string_view line);

  base::LineReader lines_;
  CorpusBuilder& builder_;
};

/// Throws Error, with the column in characters, for text that is not UTF-8 and for control characters; names
/// the encodings that the line may have.
void check_characters(std::string_view line);

/// "train/wav.scp: line 7"
std::string line_of(const std::string& path, std::uint64_t line_number);

/// What stands in `text` before the first blank or tab, which is taken off with the blanks after it.
std::string_view take_field(std::string_view& text);

/// Hands on each line of a file as a JSON object. Throws Error, with the line, for what is none, and what
/// `use` throws gets the line as well.
void for_each_json_line(
    const std::string& path, CorpusBuilder& builder,
    const std::function<void(const base::JsonValue& object, const CorpusText& text)>& use);

/// The text of a JSON value that names a file. Throws Error for an empty one and for control characters.
std::string path_from(const base::JsonValue& value);

/// A member that is there and not null.
std::optional<base::JsonValue> find_known(const base::JsonValue& object, std::string_view name);

}  // namespace shardmill::source
