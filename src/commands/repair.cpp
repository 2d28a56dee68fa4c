#include "commands/repair.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "check/separate_splits.hpp"
#include "dataset/hold.hpp"
#include "dataset/unfinished.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/split.hpp"
#include "repair/repair.hpp"

namespace shardmill::commands {

namespace {

void check_is_dataset(const std::string& folder, bool is_dry_run) {
  const auto holds = [&](std::string_view name) { return base::exists(folder + "/" + std::string(name)); };
  const dataset::Unfinished unfinished = dataset::unfinished_in(folder);
  const bool is_first_run =
      unfinished == dataset::Unfinished::run || unfinished == dataset::Unfinished::parts;
  if (is_first_run && !holds(manifest::kDataset)) throw dataset::unfinished_error(folder);
  if (unfinished == dataset::Unfinished::publishing && is_dry_run)
    throw Error(
        "a command was interrupted while it gave the new files their names, so nothing can be said of "
        "them yet",
        at(folder), "leave --dry-run out: repair completes that first");
  if (unfinished != dataset::Unfinished::publishing && !holds(manifest::kDataset) && !holds(manifest::kRun))
    throw Error("is no dataset of shardmill: it has neither dataset.json nor run.json", at(folder));
}

/// Completes what an interrupted command left. Until its end, it only read the dataset, and may have stopped
/// because something is damaged.
void settle(const std::string& folder, const repair::RepairOptions& options, base::Reporter& reporter) {
  repack::RepackOptions how;
  how.command = options.command;
  std::optional<base::WriterLock> split_lock;
  if (const std::string root = check::split_root_of(folder); !root.empty()) {
    split_lock = repack::lock_folder(repack::work_folder_of(root), how, reporter);
    repack::settle_split(root, how, reporter);
  }
  const base::WriterLock lock = repack::lock_folder(repack::work_folder_of(folder), how, reporter);
  repack::settle_folder(folder, reporter);
}

/// The date of dataset.json shows make whether too many samples were left out.
void date_again(const repair::RepairSummary& summary, const std::string& folder) {
  const bool is_new = std::any_of(summary.repaired.begin(), summary.repaired.end(),
                                  [](const auto& file) { return file.name == manifest::kDataset; });
  const auto path = [&](std::string_view name) { return folder + "/" + std::string(name); };
  const auto is_lost = [&](std::string_view name) { return summary.beyond.contains(std::string(name)); };
  if (!is_new || is_lost(manifest::kRun) || is_lost(manifest::kRejects)) return;
  const auto run = manifest::read_run_record(path(manifest::kRun));
  const auto dataset = manifest::read_dataset_record(path(manifest::kDataset));
  const repack::Losses losses = repack::losses_of_last_run(dataset, path(manifest::kRejects));
  repack::date_for_make(path(manifest::kDataset), !repack::is_within(losses, run.max_rejects));
}

}  // namespace

repair::RepairSummary run_repair(const repair::RepairOptions& given, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  repair::RepairOptions options = given;
  while (options.folder.size() > 1 && options.folder.ends_with('/')) options.folder.pop_back();
  check_is_dataset(options.folder, options.dry_run);
  const dataset::Unfinished unfinished = dataset::unfinished_in(options.folder);
  if (!options.dry_run &&
      (unfinished == dataset::Unfinished::publishing || unfinished == dataset::Unfinished::run))
    settle(options.folder, options, reporter);
  std::optional<dataset::DatasetHold> hold;
  if (!options.dry_run) hold = dataset::DatasetHold::to_write(options.folder, options.command, reporter);
  repair::RepairSummary summary = repair::repair_dataset(options, workers, reporter);
  if (!options.dry_run) date_again(summary, options.folder);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::commands
