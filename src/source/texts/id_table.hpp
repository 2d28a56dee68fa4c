// IdTable: a file of lines "id value", as Kaldi's wav.scp, text, utt2spk and many transcripts are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text/text_arena.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

class IdTable {
 public:
  struct Row {
    std::string_view id;
    std::string_view value;  // the rest of the line, without the blanks around it
    std::uint64_t line = 0;
  };

  IdTable() = default;
  /// Throws Error when the file cannot be read or is not text, and for an id that comes twice.
  IdTable(const std::string& path, CorpusBuilder& builder);
  /// An empty table when there is no such file.
  static IdTable if_there(const std::string& path, CorpusBuilder& builder);

  const std::string& path() const noexcept { return path_; }
  const std::vector<Row>& rows() const noexcept { return rows_; }
  const Row* find(std::string_view id) const;
  std::optional<std::string_view> value(std::string_view id) const;
  /// An error that names the file and the line of a row of this table.
  Error at_row(const Row& row, const std::string& problem, const std::string& advice = {}) const;

 private:
  std::string path_;
  base::TextArena texts_;
  std::vector<Row> rows_;  // as they stand in the file
  std::unordered_map<std::string_view, std::size_t> by_id_;
};

}  // namespace shardmill::source
