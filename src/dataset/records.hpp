// DatasetRecords: everything that the records of a dataset say, as far as they can be read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/folder.hpp"
#include "dataset/recipe.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "manifest/sample_record.hpp"
#include "model/finding.hpp"

namespace shardmill::dataset {

struct DatasetRecords {
  std::string folder;
  std::optional<manifest::DatasetRecord> dataset{};  // none: cannot be read
  std::optional<manifest::RunRecord> run{};          // none: cannot be read
  std::optional<std::vector<manifest::ShardRecord>> shards{};
  std::optional<std::map<std::string, std::string>> checksums{};  // SHA-256 by path
  std::uint64_t rejects = 0;                                      // how many lines rejects.jsonl has

  std::string path(std::string_view inner) const { return base::inside(folder, inner); }
  /// What the dataset was asked to be, with the weights of all its datasets. Throws Error when dataset.json
  /// does not say.
  Recipe recipe() const;
  /// Only these fields of the recipe; nullopt when dataset.json does not have one of them.
  std::optional<Recipe> known(std::initializer_list<std::string_view> fields) const;
  /// The prefix of shards/ in data.list that repack was given; none: the place of the folder at that time.
  std::optional<std::string> given_list_root() const;
  /// The prefix of shards/ in data.list.
  std::string list_root() const;
  /// Says which command makes all lists name the shards below `root`.
  std::string how_to_relist(const std::string& root) const;
};

/// Reads all records. A record that cannot be read is a finding. Throws NewerFormat.
DatasetRecords read_records(const std::string& folder, FindingList& findings);

/// Throws Error when `folder` contains no finished dataset. The message says whether it contains a dataset at
/// all.
void check_is_finished(const std::string& folder);

/// Reads the records for a command that trusts a finished dataset. Throws Error when the dataset is
/// unfinished, or a record cannot be read or contradicts another.
DatasetRecords sound_records(const std::string& folder);
/// Throws the first finding as an Error. Notes do not count.
void throw_first(FindingList& findings);

/// Compares dataset.json, shards.jsonl, SHA256SUMS, data.list and run.json with each other.
void check_records(const DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::dataset
