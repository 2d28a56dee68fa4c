#include "commands/repair.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "repack/finished.hpp"
#include "repair/repair.hpp"

namespace shardmill::commands {

namespace {

void check_is_dataset(const std::string& folder) {
  const auto holds = [&](std::string_view name) { return base::exists(folder + "/" + std::string(name)); };
  // Until its end, an update only reads the dataset, and may have stopped because something is damaged.
  const std::string work = folder + "/" + std::string(manifest::kWorkFolder);
  const bool is_update = holds(dataset::kUpdateFolder) && !base::exists(dataset::publish_list_path(work));
  if (dataset::holds_unfinished_run(folder) && !is_update)
    throw Error("a run was begun here and is not finished", at(folder), "the same command goes on with it");
  if (!holds(manifest::kDataset) && !holds(manifest::kRun))
    throw Error("is no dataset of shardmill: it has neither dataset.json nor run.json", at(folder));
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
  check_is_dataset(options.folder);
  std::optional<dataset::DatasetHold> hold;
  if (!options.dry_run) hold = dataset::DatasetHold::to_write(options.folder, options.command, reporter);
  repair::RepairSummary summary = repair::repair_dataset(options, workers, reporter);
  if (!options.dry_run) date_again(summary, options.folder);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::commands
