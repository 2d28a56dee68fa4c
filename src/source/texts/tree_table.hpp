// TreeTable: what most corpora have in common, a table of utterances by their ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// The part of a path that is `from_end` parts before the last; empty if the path is shorter.
std::string_view path_part(std::string_view path, std::size_t from_end);
/// The path without its last part and the slash.
std::string_view folder_of(std::string_view path);
/// Of audio below "/wav/", which is `inner`, the folder that holds wav/; of other files their own.
std::string_view folder_above(std::string_view path, std::string_view inner);
/// The last part of a path without its extension: in most corpora the id of an utterance.
std::string stem_of(std::string_view path);
/// The first of `names` that is a folder in `path`; empty where none is.
std::string_view folder_among(std::string_view path, const std::vector<std::string_view>& names);
/// All lines of a text that holds one transcript.
std::string whole_transcript(const TreeText& text);

/// The text files of a corpus by their names, with | between several; ".x" is any name with this end.
struct TableFiles {
  std::string_view transcripts;
  std::string_view speakers{};  // empty: no file adds facts about speakers
  bool may_be_above = false;    // transcripts of the corpus may be above the folder of a part of it
  /// When audio that no row lists counts as audio without a transcript, and waits for no other file.
  /// `nothing`: when all files were read. `folder`: when a text with the same awaited() was read. `corpus`:
  /// when any text was read. `textless`: at once.
  enum class Covers { nothing, folder, corpus, textless } covers = Covers::nothing;
};

class TreeTable : public TreeCorpus {
 public:
  TreeTable(TreeOptions options, TableFiles files) : options_(std::move(options)), names_(files) {}

  /// Text for the names of TableFiles.
  Role role(std::string_view path) const override;
  Above above(std::string_view name) const override;
  bool awaits_remarks() const override {
    return !is_complete() && !names_.speakers.empty() && !has_speakers_;
  }
  /// read_speakers() or read_transcripts().
  void read(const TreeText& text) override;
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override;
  void report_rest(const Lose& lose) const override;
  bool loses_by_key() const override { return true; }

 protected:
  struct Row {
    std::string id{};
    std::string text{};
    std::string speaker{};
    std::vector<std::string> subsets{};
    Facts facts{};
    double seconds = 0;  // of its audio; 0: the corpus does not say
    std::size_t file = 0;
    std::uint64_t line = 0;
    bool is_found = false;
  };

  /// Adds the utterances of a file. This one reads lines of an id and its transcript.
  virtual void read_transcripts(const TreeText& text);
  /// Calls set_gender() for each speaker.
  virtual void read_speakers(const TreeText& text) { (void)text; }

  /// Throws Error for an id that is in the table already.
  Row& add(std::string id, std::string_view text, const TreeText& file, std::uint64_t line = 0);
  bool has(const std::string& id) const { return by_id_.contains(id); }
  Row& row_of(const std::string& id) { return rows_[by_id_.at(id)]; }
  /// Null if there is no such row.
  const Row* find_row(std::string_view id) const;
  /// The file that it is from.
  const std::string& place_of(const Row& row) const { return files_[row.file]; }
  const TreeOptions& options() const noexcept { return options_; }

  /// "male", "F", as the corpus has it; later facts of the same speaker are ignored.
  void set_gender(std::string_view speaker, std::string_view gender);
  std::string_view gender_of(const std::string& speaker) const;

  /// The id of the row that an audio file belongs to.
  virtual std::string id_of(std::string_view audio) const { return stem_of(audio); }
  virtual std::string key_of(std::string_view audio) const { return stem_of(audio); }
  /// The table that must list an audio file, in words; empty where the corpus has audio that none lists.
  virtual std::string listed_in(std::string_view audio) const {
    (void)audio;
    return {};
  }
  /// Adds what the path says. `row`: null for audio that no table lists.
  virtual void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const = 0;

 private:
  bool is_covered(std::string_view audio) const;

  TreeOptions options_;
  TableFiles names_;
  bool has_speakers_ = false;
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<std::string> files_;
  std::unordered_set<std::string> covered_;  // folders; an empty one is the whole corpus
  std::unordered_map<std::string, std::string> genders_;
};

}  // namespace shardmill::source
