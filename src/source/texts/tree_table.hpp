// TreeTable: what most corpora have in common, a table from the id of an utterance to what is known of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// The part of a path that stands `from_end` parts before its last; empty where there is none.
std::string_view path_part(std::string_view path, std::size_t from_end);
/// What stands before the last part, without the slash.
std::string_view folder_of(std::string_view path);
/// The last part of a path without its extension, as the id of an utterance stands in it.
std::string stem_of(std::string_view path);
/// The first of `names` that is a folder in `path`; empty where none is.
std::string_view folder_among(std::string_view path, const std::vector<std::string_view>& names);
/// All lines of a text that holds one transcript.
std::string whole_transcript(const TreeText& text);

class TreeTable : public TreeCorpus {
 public:
  explicit TreeTable(TreeOptions options) : options_(std::move(options)) {}

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
    std::size_t file = 0;
    std::uint64_t line = 0;
    bool is_found = false;
  };

  /// Throws Error for an id that is in the table already.
  Row& add(std::string id, std::string_view text, const TreeText& file, std::uint64_t line = 0);
  bool has(const std::string& id) const { return by_id_.contains(id); }
  Row& row_of(const std::string& id) { return rows_[by_id_.at(id)]; }
  /// Null where there is none.
  const Row* find_row(std::string_view id) const;
  /// The file that it stands in.
  const std::string& place_of(const Row& row) const { return files_[row.file]; }
  /// That all texts of this scope (a folder, or what the corpus likes) were read.
  void set_read(std::string scope) { read_.insert(std::move(scope)); }
  const TreeOptions& options() const noexcept { return options_; }

  /// "male", "F", as the corpus has it; later facts of the same speaker are ignored.
  void set_gender(std::string_view speaker, std::string_view gender);
  std::string_view gender_of(const std::string& speaker) const;

  /// The id of the row that an audio file belongs to.
  virtual std::string id_of(std::string_view audio) const { return stem_of(audio); }
  virtual std::string key_of(std::string_view audio) const { return stem_of(audio); }
  /// True when the texts that could speak of it were read.
  virtual bool is_known(std::string_view audio) const { return read_.contains(scope_of(audio)); }
  virtual std::string scope_of(std::string_view audio) const {
    (void)audio;
    return {};
  }
  /// The table that must list an audio file, in words; empty where the corpus has audio that none lists.
  virtual std::string listed_in(std::string_view audio) const {
    (void)audio;
    return {};
  }
  /// Adds what the path says. `row`: null where there is none.
  virtual void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const = 0;

 private:
  TreeOptions options_;
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<std::string> files_;
  std::unordered_set<std::string> read_;
  std::unordered_map<std::string, std::string> genders_;
};

}  // namespace shardmill::source
