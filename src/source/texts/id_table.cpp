#include "source/texts/id_table.hpp"

#include <fmt/format.h>

#include "base/io/folder.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

IdTable::IdTable(const std::string& path, CorpusBuilder& builder) : path_(path) {
  CorpusText text(path, builder);
  for (std::string_view line; text.next(line);) {
    const std::string_view id = take_field(line);
    const Row row{.id = texts_.keep(id), .value = texts_.keep(line), .line = text.line_number()};
    const auto [known, is_new] = by_id_.try_emplace(row.id, rows_.size());
    if (!is_new) {
      throw at_row(row, fmt::format("'{}' stands in line {} already", id, rows_[known->second].line));
    }
    rows_.push_back(row);
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

}  // namespace shardmill::source
