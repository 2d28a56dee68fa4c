// What is known of a sample beside its audio and its transcript: SampleMetadata is what its KEY.json says, as
// Emilia, YODAS2 and others have it; JoinedFields what the tables of the user say.
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

struct SampleMetadata {
  std::optional<std::string> text;
  std::string facts;  // all else: members of a manifest line
};

/// `text_field`: the name of the transcript; empty: "text" or another usual name. `known`: facts that are
/// known already, and are not repeated. nullopt when the member is no JSON object.
std::optional<SampleMetadata> read_metadata(std::string_view json, std::string_view text_field,
                                            std::string_view known);

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

/// Whether one of the tables has, or may have, transcripts for samples of the dataset.
bool may_have_texts(const std::vector<TableFile>& tables, std::string_view dataset);

/// Whether a table of the dataset could not be read: it might have any text.
bool has_unread_table(const std::vector<TableFile>& tables, std::string_view dataset);

/// Those that have no transcripts, as errors name them.
std::vector<source::TextlessTable> textless_tables(const std::vector<TableFile>& tables);

/// The number of the row for a sample. `other_key`: its earlier name, in a finished dataset; or empty.
std::optional<std::size_t> find_row(const TableFile& table, std::string_view key, std::string_view other_key);

struct JoinedFields {
  std::string text{};        // empty: none
  std::string facts{};       // members of a manifest line
  std::string conflict{};    // that two tables have different transcripts; empty: they have not
  bool is_of_whole = false;  // `text` is that of a whole recording, not of the channel that was asked for
};

/// What the tables say of a sample of a dataset. A later table replaces what an earlier one says, but for a
/// transcript: only the tables of the dataset replace that of a table for all.
JoinedFields fields_in(const std::vector<TableFile>& tables, std::string_view dataset, std::string_view key,
                       std::string_view other_key);

/// `facts` and `newer`; where both have a member of the same name, that of `newer`.
std::string merged_facts(const std::string& facts, const std::string& newer);

}  // namespace shardmill::pipeline
