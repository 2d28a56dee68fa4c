// LabelTable: which rows of the label files of a dataset belong to an audio file. It holds 28 bytes a row in
// memory; the rows themselves are read again when they are asked for.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/file_watch.hpp"
#include "source/labels/audio_roots.hpp"
#include "source/labels/label_row.hpp"
#include "source/labels/lhotse_rows.hpp"
#include "source/source_file.hpp"

namespace shardmill::source {

/// Where several audio files fit one recording of the labels.
struct AudioChoices {
  /// Only files with the extensions of the rows are meant, these; if there are several, each by its own rows.
  std::map<std::uint32_t, std::set<std::string>> exact{};
  std::map<std::uint32_t, std::string> several{};  // none of them can be chosen; the names of two
};

/// Of the audio that it names, in lower case; empty: none.
std::string extension_of(const LabelRow& row);

/// Any thread may ask for rows.
class LabelTable {
 public:
  /// `text_field`: see LabelShape. Throws Error, with the line, if a file is not a label table.
  LabelTable(const std::vector<std::string>& paths, std::string_view text_field);
  ~LabelTable();

  /// Rows that say which audio they are about.
  std::size_t rows() const noexcept { return rows_; }
  std::size_t recordings() const noexcept { return first_line_.size() - 1; }
  /// Whether a row has a transcript, or may have one, because it cannot be read.
  bool may_have_texts() const noexcept { return has_texts_ || !bad_.empty(); }
  /// The fields of Lhotse that are not kept.
  const std::set<std::string>& left_out() const noexcept { return left_out_; }
  /// Where rows, or cuts of Lhotse, may mean something else than they seem to.
  std::vector<Error> doubts() const;
  /// The names of the columns of the first file, for messages; empty for Lhotse's.
  std::string columns() const;
  /// The label files, as errors name them.
  std::string names() const;
  /// Calls back for each row that cannot be cut or read.
  void report_bad(const LoseUtterance& lose) const;

  /// What roots these audio files need to be found, if none of them is found without.
  AudioRoots learn_roots(const std::vector<std::string>& audio_files) const;

  /// `audio_files`: all known ones. Assigns files to the rows that name them.
  AudioChoices choices_among(const std::vector<std::string>& audio_files, const AudioRoots& roots) const;
  /// Those of its audio, as the rows have it. Files that differ only in their extension are one recording.
  std::set<std::string> extensions_of(std::uint32_t recording) const;

  struct Found {
    std::optional<std::uint32_t> recording{};
    std::string problem{};  // why no recording was found
  };
  /// The recording whose name has the longest end in common with `path`, without extensions of audio. One of
  /// the two must be the whole end of the other, but for `roots`.
  Found find(std::string_view path, const AudioRoots& roots) const;

  /// The recordings whose whole names are shorter ends of `path` than that of `found`, its own.
  std::vector<std::uint32_t> shorter_names(std::string_view path, std::uint32_t found) const;

  /// The name, in its first row, of the audio whose name has the longest end in common with `path`; nullopt:
  /// none has, or several have.
  std::optional<std::string> nearest_audio(std::string_view path) const;
  /// All rows of a recording, in the order of their files, also those with a problem. Throws FatalError when
  /// a file has changed.
  std::vector<LabelRow> rows_of(std::uint32_t recording) const;
  /// The file and the line of a row: "a.jsonl: line 7".
  std::string place_of(const LabelRow& row) const;
  /// Of a row that rows_of() gave. Without a key of its own it is the name of the audio below the folder that
  /// all audio in the label file has in common, and the times.
  std::string key_of(const LabelRow& row) const;

 private:
  class List;

  /// One line of a label file.
  struct Line {
    std::uint64_t audio_hash = 0;
    std::uint64_t place = 0;  // file, offset and bytes, see cpp
    std::uint64_t name_hash = 0;
    std::uint32_t number = 0;  // of the line in its file

    auto operator<=>(const Line&) const = default;
  };
  /// A line with a row that cannot be cut or read.
  struct Bad {
    std::uint64_t place = 0;  // as Line::place
    std::uint64_t line = 0;
  };
  /// The end of an audio name, of as many parts as make it unlike those of other recordings.
  struct Tail {
    std::uint64_t hash = 0;
    std::uint32_t recording = 0;

    auto operator<=>(const Tail&) const = default;
  };
  static constexpr std::uint32_t kSeveral = UINT32_MAX;

  std::vector<Line> read_lines();
  void group(std::vector<Line>&& lines);
  void make_tails(const std::vector<Line>& lines);
  const List& list_of(std::uint64_t place) const;
  std::string audio_of(std::uint32_t recording) const;
  std::vector<LabelRow> rows_in(std::uint64_t place) const;
  std::optional<std::uint32_t> tail_owner(std::uint64_t hash) const;
  /// The only recording whose name ends as `path` does, with as many parts as that takes; kSeveral: there are
  /// several to the end; nullopt: no recording fits.
  std::optional<std::uint32_t> candidate(std::string_view path) const;

  std::vector<std::unique_ptr<List>> lists_;
  std::vector<std::string> common_folders_;  // of all audio in a label file, with a slash at its end
  std::vector<std::uint64_t> places_;        // of lines, those of a recording together
  std::vector<std::uint32_t> numbers_;       // of the same lines, in their files
  std::vector<std::uint32_t> first_line_;    // of each recording, and the end
  std::vector<Tail> tails_;                  // sorted
  std::vector<Bad> bad_;
  std::set<std::string> left_out_;
  CutDoubts cut_doubts_;
  std::size_t rows_ = 0;
  bool has_texts_ = false;
};

}  // namespace shardmill::source
