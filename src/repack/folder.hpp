// The folder of a dataset while it is made: who works in it, what is there already, and the way out.
#pragma once

#include <optional>
#include <string>

#include "base/io/writer_lock.hpp"
#include "base/reporter.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

std::string work_folder_of(const std::string& out_folder);
/// Of dataset.json: it is there = the dataset is complete.
std::string dataset_path(const std::string& out_folder);

std::string lock_path(const std::string& work_folder);
/// The only writer in a work folder; waits for another one to end where the options say so.
base::WriterLock lock_folder(const std::string& work_folder, const RepackOptions& options,
                             base::Reporter& reporter);

/// The finished dataset that the plan would make again; nullopt when there is none, or it is to be replaced.
/// Throws Error for one that differs.
std::optional<RepackSummary> already_there(const RepackOptions& options, const RepackPlan& plan);

/// The same, where nobody works in the folder and nothing needs to be put right: without a lock, so that it
/// is found on a filesystem that cannot be written to.
std::optional<RepackSummary> already_there_untouched(const RepackOptions& options, const RepackPlan& plan);

/// Removes all in the work folder but the lock.
void remove_work(const std::string& work_folder);

}  // namespace shardmill::repack
