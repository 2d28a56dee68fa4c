// output_folder: whether a command may write into a folder: one that is new, empty, or shardmill's own.
#pragma once

#include <string>

namespace shardmill::dataset {

/// What a folder is for. One that holds something of one kind is not taken for another.
enum class OutputKind {
  dataset,     // dataset.json, or work of a run that makes one
  converted,   // results of convert, and .shardmill/converted/, which says so
  rank_lists,  // plan.json and the lists that it names
};

/// Throws Error when `folder` is none, or holds something that shardmill did not make, or a link stands in
/// place of one of its folders, or it lies below a finished dataset. The ranks/ of a dataset are its own.
/// Changes nothing.
void check_output_is_ours(const std::string& folder, OutputKind kind);

/// Throws Error when `folder` lies below a finished dataset, whose records would not know what is written
/// there.
void check_not_in_dataset(const std::string& folder);

/// True when a run that makes a dataset has work in `folder`, which may be finished all the same.
bool holds_work_of_run(const std::string& folder);

/// True when work lies in `folder` that a run has begun and not finished; a lock alone is none.
bool holds_unfinished_run(const std::string& folder);

/// True when `folder` held a finished dataset, which may have lost its dataset.json.
bool has_records_of_dataset(const std::string& folder);

/// Throws Error when .shardmill is there, but not shardmill's: for commands that put files beside those of
/// others.
void check_work_folder_is_ours(const std::string& folder);

/// The same rule for a single file that is to be written wherever the user says: throws Error when `path` is
/// anything but a regular file or nothing, or belongs to a dataset. Returns true when there is a file.
bool check_file_may_be_written(const std::string& path);

}  // namespace shardmill::dataset
