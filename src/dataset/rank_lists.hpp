// Rank lists: writes the files in ranks/, and checks them for verify.
// relist: writes the lists of a dataset again, for the place where it is now.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/records.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// The files of a plan and their texts, by name: the lists and plan.json.
using RankFiles = std::map<std::string, std::string>;

/// Throws Error when `folder`, or one of the files in it, is not shardmill's. Changes nothing.
void check_rank_folder(const std::string& folder, const RankFiles& files);

/// Writes the files, each whole and synced, and their SHA256SUMS; plan.json is the last. Call
/// check_rank_folder() before.
void write_rank_files(const std::string& folder, const RankFiles& files);

/// Writes SHA256SUMS again after lists were changed.
void write_rank_checksums(const std::string& folder);

/// Recognises the shards of a dataset in lists that may name them in another place.
class ShardPaths {
 public:
  explicit ShardPaths(const std::vector<manifest::ShardRecord>& shards);
  /// The path within the dataset with which a line of a list ends; nullopt when the line names none of the
  /// shards.
  std::optional<std::string> named_by(std::string_view line) const;

 private:
  std::set<std::string, std::less<>> paths_;
};

/// Checks that the lists of each world size name each shard of the dataset once. Does nothing when there are
/// no lists.
void check_rank_lists(const DatasetRecords& records, FindingList& findings);

/// Makes data.list and the lists in ranks/ name the shards below `root`, and makes all records agree. Returns
/// the files that were written, relative to `folder`. Throws Error when a record cannot be read. If a call is
/// interrupted, the next one completes its work.
std::vector<std::string> relist(const std::string& folder, const std::string& root,
                                pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::dataset
