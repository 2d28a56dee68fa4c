// Rank lists: the files under ranks/: written, and checked by verify.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/records.hpp"
#include "model/finding.hpp"

namespace shardmill::dataset {

/// The files of a plan by their names, as they will be written: lists, and plan.json.
using RankFiles = std::map<std::string, std::string>;

/// Throws Error when `folder` or one of the files in it is not shardmill's. Changes nothing.
void check_rank_folder(const std::string& folder, const RankFiles& files);

/// Writes them, each whole and synced, and SHA256SUMS for them; plan.json is the last. check_rank_folder()
/// was called.
void write_rank_files(const std::string& folder, const RankFiles& files);

/// Writes SHA256SUMS again for lists that were changed where they lie.
void write_rank_checksums(const std::string& folder);

/// The shards of a dataset, found in lists that may name them in another place.
class ShardPaths {
 public:
  explicit ShardPaths(const std::vector<manifest::ShardRecord>& shards);
  /// The path within the dataset that a line of a list ends with; nullopt where it names none of the shards.
  std::optional<std::string> named_by(std::string_view line) const;

 private:
  std::set<std::string, std::less<>> paths_;
};

/// Each world size's lists must name each shard of the dataset once. Nothing is there: nothing to check.
void check_rank_lists(const DatasetRecords& records, FindingList& findings);

}  // namespace shardmill::dataset
