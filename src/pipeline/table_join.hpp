// Tables that the user gives beside the sources, and the fields that they add to samples.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "source/metadata_table.hpp"
#include "source/missing_text.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::pipeline {

/// A table that an option names.
struct TableFile {
  std::string dataset{};  // whose samples it describes; empty: all samples
  std::string path{};
  std::optional<base::Xxh128> hash{};                    // of its content; none: not known yet
  std::shared_ptr<const source::MetadataTable> table{};  // null: not read yet

  bool is_for(std::string_view name) const { return dataset.empty() || dataset == name; }
};

/// Reads those that were not read yet. Throws Error for a file that is no table, and for one that has
/// changed.
void read_tables(std::vector<TableFile>& tables, const source::TreeOptions& options);

/// Whether a table of the dataset could not be read: it might have any text.
bool has_unread_table(const std::vector<TableFile>& tables, std::string_view dataset);

/// Those that have no transcripts, as errors name them.
std::vector<source::TextlessTable> textless_tables(const std::vector<TableFile>& tables);

/// The number of the row for a sample. `other_key`: its earlier name, in a finished dataset; or empty.
std::optional<std::size_t> find_row(const TableFile& table, std::string_view key, std::string_view other_key);

struct JoinedFields {
  std::string text{};   // empty: none
  std::string facts{};  // members of a manifest line
};

/// What the tables say of a sample of a dataset; a later table replaces what an earlier one says.
JoinedFields fields_in(const std::vector<TableFile>& tables, std::string_view dataset, std::string_view key,
                       std::string_view other_key);

/// `facts` and `newer`; where both have a member of the same name, that of `newer`.
std::string merged_facts(const std::string& facts, const std::string& newer);

}  // namespace shardmill::pipeline
