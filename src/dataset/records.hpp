// DatasetRecords: what the records of a dataset's folder say, as far as they can be read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/recipe.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "manifest/shard_record.hpp"
#include "model/finding.hpp"

namespace shardmill::dataset {

struct DatasetRecords {
  std::string folder;
  std::optional<manifest::DatasetRecord> dataset{};  // none: it cannot be read
  std::optional<manifest::RunRecord> run{};          // the same
  std::optional<std::vector<manifest::ShardRecord>> shards{};
  std::optional<std::map<std::string, std::string>> checksums{};  // SHA-256 by path
  std::uint64_t rejects = 0;                                      // in rejects.jsonl

  std::string path(std::string_view inner) const { return folder + "/" + std::string(inner); }
  /// What the dataset was asked to be, with the weights of all its datasets. Throws Error when dataset.json
  /// does not tell.
  Recipe recipe() const;
  /// The recipe as far as these fields go; nullopt when dataset.json does not tell one of them.
  std::optional<Recipe> known(std::initializer_list<std::string_view> fields) const;
  /// What repack was told to put before shards/ in data.list; none: the folder as it was then.
  std::optional<std::string> given_list_root() const;
  /// The command that makes all lists name the shards where they lie now.
  std::string relist_command() const;
};

/// Reads them all. What cannot be read is a finding. Throws NewerFormat.
DatasetRecords read_records(const std::string& folder, FindingList& findings);

/// Throws Error when `folder` holds no finished dataset, and says whether it is one at all.
void check_is_finished(const std::string& folder);

/// The same for commands that take a finished dataset at its word: throws Error when it is not finished, or
/// something cannot be read or does not fit together.
DatasetRecords sound_records(const std::string& folder);
/// Throws the first finding that is no note as an Error.
void throw_first(FindingList& findings);

/// Holds dataset.json, shards.jsonl, SHA256SUMS, data.list and run.json against each other.
void check_records(const DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::dataset
