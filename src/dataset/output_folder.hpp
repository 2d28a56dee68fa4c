// output_folder: decides whether a command may write into a folder, which must be new, empty or shardmill's
// own. unfinished: the work that a killed command left in the folder of a dataset, and the command that
// continues it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shardmill::dataset {

/// What a folder is for. A folder that contains one kind of output cannot be used for another.
enum class OutputKind {
  dataset,     // dataset.json, or work of a run that makes one
  converted,   // results of convert, and .shardmill/converted/ with their records
  rank_lists,  // plan.json and the lists that it names
};

/// Throws Error when `folder` is not a folder, contains something that shardmill did not make, has a link in
/// place of one of its own folders, or is inside a finished dataset. (The ranks/ of a dataset are allowed.)
/// Changes nothing.
void check_output_is_ours(const std::string& folder, OutputKind kind);

/// Throws Error when `folder` is inside a finished dataset, whose records would not know new files.
void check_not_in_dataset(const std::string& folder);

/// True when `folder` contains the work of a run that makes a dataset. The run may be finished nevertheless.
/// What `index` stages does not count: the shards may be of others.
bool holds_work_of_run(const std::string& folder);

/// True when `folder` contains the work of an unfinished run. A lock alone does not count.
bool holds_unfinished_run(const std::string& folder);

/// True when `folder` contained a finished dataset, even if dataset.json has been lost.
bool has_records_of_dataset(const std::string& folder);

/// True for the work folder of a run that has only just begun, or was killed in its first moments: it holds
/// at most the run's lock.
bool is_bare_work_folder(const std::string& work);

/// Throws Error when .shardmill exists but is not shardmill's. For commands that write next to files of
/// others.
void check_work_folder_is_ours(const std::string& folder);

/// The same rule for a single file that the user names: throws Error when `path` is neither a regular file
/// nothing, or belongs to a dataset. Returns true when there is a file.
bool check_file_may_be_written(const std::string& path);

enum class Unfinished {
  nothing,
  publishing,  // all is made, and some files have got their final names
  run,         // of repack
  parts,       // of repack, in parts
  update,
};

/// The file in the work folder of a split that describes the run until it is finished.
inline constexpr std::string_view kSplitBegun = "split";

/// Says nothing of whether somebody is still at work: see the lock.
Unfinished unfinished_in(const std::string& folder);

/// The message for a command that needs `folder` to hold a finished dataset: it names the unfinished work, or
/// says that its dataset.json is missing, and which command helps. For folders that hold a dataset, finished
/// or not.
Error unfinished_error(const std::string& folder);

}  // namespace shardmill::dataset
