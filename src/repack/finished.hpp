// A finished dataset as a later run finds it: whether the same run would make it again, how much was left
// out, and whether that was more than is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/reporter.hpp"
#include "manifest/dataset_record.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// Sums up the finished dataset that the plan would make again; nullopt when it does not exist or is to be
/// replaced. Throws Error for a dataset that differs.
std::optional<RepackSummary> already_there(const RepackOptions& options, const RepackPlan& plan);

/// What is different from the finished dataset in `folder`; nullopt when the same run would make it again.
std::optional<std::string> difference_to_finished(const RepackPlan& plan, const std::string& folder);

/// What is different about the sources of the finished dataset in `folder`, whose records have the digest
/// `inputs`; nullopt when nothing is.
std::optional<std::string> difference_of_sources(const RepackPlan& plan, const std::string& folder,
                                                 const base::Xxh128& inputs);

/// The losses in a rejects.jsonl. Throws Error when the file cannot be read.
Losses losses_in(const std::string& rejects_path);

/// What the last run left out that wrote the dataset: repack, or an update. Reads the file only where the
/// record does not tell.
Losses losses_of_last_run(const manifest::DatasetRecord& dataset, const std::string& rejects_path);

bool is_within(const Losses& losses, std::uint64_t max_rejects);
/// Sums up the dataset in `folder`. At most `max_rejects` samples may have been left out because of errors.
/// Throws Error when the records cannot be read.
RepackSummary summary_of_finished(const std::string& folder, std::uint64_t max_rejects);
/// The same, where its shards may be elsewhere.
RepackSummary summary_of_records(const std::string& folder, std::uint64_t max_rejects);

/// The same command found the dataset in `folder` finished: from now on, its own limit of rejects counts.
/// run.json keeps it for updates, and dataset.json is dated by it. Warns where that cannot be written, for
/// the dataset is as good as before.
void keep_max_rejects(const std::string& folder, const RepackSummary& summary, const std::string& command,
                      base::Reporter& reporter);
/// The same for a command that holds the lock of the folder. Throws Error.
void write_max_rejects(const std::string& folder, std::uint64_t max_rejects, bool too_many_rejects);

/// Dates a dataset.json for make. When too much was left out, it is dated 1970: then it is older than any
/// source, so make runs the command again, and the command fails again. A good one that was dated so is dated
/// now.
void date_for_make(const std::string& dataset_path, bool too_many_rejects);

}  // namespace shardmill::repack
