// The folder of a dataset while it is made: who works in it, which results it holds already, and how to clean
// it up.
#pragma once

#include <optional>
#include <string>

#include "base/io/writer_lock.hpp"
#include "base/reporter.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

std::string work_folder_of(const std::string& out_folder);
/// The path of dataset.json. When this file exists, the dataset is complete.
std::string dataset_path(const std::string& out_folder);

/// What comes before the names of shards in lists: what the recipe says, or where the dataset will be.
std::string list_root_of(const RepackOptions& options, const dataset::Recipe& recipe);

std::string lock_path(const std::string& work_folder);
/// Makes this process the only writer in a work folder. Waits for another writer to end if the options say
/// so.
base::WriterLock lock_folder(const std::string& work_folder, const RepackOptions& options,
                             base::Reporter& reporter);

/// Sums up the finished dataset that the plan would make again; nullopt when it does not exist or is to be
/// replaced. Throws Error for a dataset that differs.
std::optional<RepackSummary> already_there(const RepackOptions& options, const RepackPlan& plan);

/// The same without a lock, when no other run works in the folder and nothing needs to be put right. So the
/// dataset is found on a filesystem that cannot be written to.
std::optional<RepackSummary> already_there_untouched(const RepackOptions& options, const RepackPlan& plan);

/// For a command that changes the finished dataset in `folder` and holds its lock: completes what got only
/// some of its final names, and drops a new dataset that stopped before that, because --force would make it
/// again. Returns whether there was anything.
bool settle_folder(const std::string& folder, base::Reporter& reporter);
/// Says that the work of an interrupted repack --force is removed.
void warn_of_dropped_work(const std::string& folder, base::Reporter& reporter);

/// What is different from the finished dataset in `folder`; nullopt when the same run would make it again.
std::optional<std::string> difference_to_finished(const RepackPlan& plan, const std::string& folder);

/// What is different about the sources of the finished dataset in `folder`, whose records have the digest
/// `inputs`; nullopt when nothing is.
std::optional<std::string> difference_of_sources(const RepackPlan& plan, const std::string& folder,
                                                 const base::Xxh128& inputs);

/// Removes everything in the work folder except the lock.
void remove_work(const std::string& work_folder);

}  // namespace shardmill::repack
