#include "commands/repack.hpp"

#include <fmt/format.h>

#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "dataset/free_space.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/pack_shards.hpp"
#include "pipeline/split_check.hpp"
#include "pipeline/text_check.hpp"
#include "repack/depfile.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/part_plan.hpp"
#include "repack/plan.hpp"
#include "repack/planned_bytes.hpp"
#include "repack/records.hpp"
#include "repack/shard_count_check.hpp"

namespace shardmill::commands {

namespace {

/// Prepares the work folder: keeps an unfinished run of the same plan, removes anything else.
void prepare_work_folder(const repack::RepackOptions& options, const repack::RepackPlan& plan) {
  const std::string work = repack::work_folder_of(options.out_folder);
  if (!options.force) repack::check_no_parts(options.out_folder);
  std::optional<pipeline::Journal> journal;
  if (!options.force) journal = pipeline::read_journal(pipeline::journal_path(work));
  if (journal) {
    if (const auto what = repack::difference(journal->fingerprint, repack::fingerprint(plan))) {
      throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(options.out_folder),
                  "finish that one, or start over with --force");
    }
    return;
  }
  if (options.force) repack::check_no_part_at_work(options.out_folder);
  repack::remove_work(work);
  base::make_folders(work + "/spool");
}

pipeline::MillPlan mill_plan(const repack::RepackOptions& options, const repack::RepackPlan& plan) {
  return {.inputs = plan.inputs,
          .intake = plan.recipe.intake,
          .interleave = plan.recipe.interleave,
          .seed = plan.recipe.seed,
          .shards = plan.shards,
          .hash_tars = plan.recipe.codec == codec::Codec::none,
          .work_folder = repack::work_folder_of(options.out_folder),
          .fingerprint = repack::fingerprint(plan),
          .unusable = plan.sources.unusable,
          .checkpoints = options.checkpoints};
}

/// Works from an empty or resumed work folder to the finished dataset.
repack::RepackSummary mill_all(const repack::RepackOptions& options, const repack::RepackPlan& plan,
                               const base::WriterLock& lock, pipeline::Workers& workers,
                               base::Reporter& reporter) {
  const repack::RunClock clock;
  pipeline::MillPlan how = mill_plan(options, plan);
  if (plan.recipe.intake.on_duplicate == pipeline::OnDuplicate::first)
    how.claims = pipeline::claims_of(plan.inputs, plan.recipe.intake, plan.recipe.seed, workers, reporter);
  const bool compresses = plan.recipe.codec != codec::Codec::none;
  // The total includes compressing, so that one figure shows the progress of the whole run. Without an
  // estimate, we assume what plain sources contain; the true sizes are known before packing begins.
  const std::uint64_t plain = plan.estimate.bytes != 0 ? plan.estimate.bytes : repack::input_bytes(plan);
  const std::uint64_t packing =
      compresses ? pipeline::packing_work(plain, repack::encoder_options(plan.recipe)) : 0;
  reporter.progress().input_bytes_total = repack::input_bytes(plan) + packing;

  pipeline::Mill mill(how, workers, reporter);
  const bool resumed = mill.resume();
  mill.run();
  reporter.phase(compresses ? "compressing" : "recording");
  const auto shards =
      pipeline::pack_shards(mill.spools(), repack::encoder_options(plan.recipe), workers, reporter);
  reporter.phase("recording");
  return repack::record_and_publish({.options = options,
                                     .plan = plan,
                                     .counts = mill.counts(),
                                     .tallies = mill.tallies(),
                                     .shards = repack::finished_shards(mill.spools(), shards),
                                     .reject_logs = {pipeline::reject_log_path(how.work_folder)},
                                     .work_folder = how.work_folder,
                                     .lock = lock,
                                     .workers = workers,
                                     .reporter = reporter},
                                    clock, resumed);
}

/// Counts what an earlier run left: it is a part of what is needed, or makes room when it is removed.
void check_room(const repack::RepackOptions& options, const repack::RepackPlan& plan, unsigned threads) {
  if (options.ignore_free_space) return;
  dataset::check_free_space(options.out_folder, repack::planned_bytes(plan, threads),
                            dataset::bytes_below(repack::work_folder_of(options.out_folder)));
}

/// Removes the work of a run that stopped before its first checkpoint, which has nothing worth keeping.
void clean_up_failure(const std::string& work, const base::WriterLock& lock) noexcept {
  try {
    lock.check_held();  // otherwise the work belongs to another run
    if (!base::exists(pipeline::journal_path(work)) && !base::exists(dataset::publish_list_path(work)))
      repack::remove_work(work);
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find what is left.
  }
}

/// Returns the dataset that exists already, or makes a new one.
repack::RepackSummary find_or_make(const repack::RepackOptions& options, const repack::RepackPlan& plan,
                                   pipeline::Workers& workers, base::Reporter& reporter) {
  const std::string work = repack::work_folder_of(options.out_folder);
  if (auto summary = repack::already_there_untouched(options, plan)) return *summary;
  pipeline::check_splits(plan.inputs, plan.recipe.intake);
  pipeline::glance_at_texts(plan.inputs, plan.recipe.intake, reporter);
  const base::WriterLock held = repack::lock_folder(work, options, reporter);
  if (dataset::finish_publishing(options.out_folder)) repack::remove_work(work);
  if (auto summary = repack::already_there(options, plan)) return *summary;
  check_room(options, plan, workers.threads());
  prepare_work_folder(options, plan);
  try {
    repack::RepackSummary summary = mill_all(options, plan, held, workers, reporter);
    repack::remove_work(work);
    return summary;
  } catch (...) {
    clean_up_failure(work, held);
    throw;
  }
}

/// What the dataset depends on, as rules for make. Empty when nobody asked for them.
std::string dependencies(const repack::RepackOptions& options, const repack::RepackPlan& plan) {
  if (options.depfile.empty()) return {};
  const std::vector<base::MakeRule> rules{{.target = repack::dataset_path(options.out_folder),
                                           .prerequisites = repack::files_behind(plan.sources)}};
  repack::check_depfile(options.depfile, rules,
                        {.folder = options.out_folder, .names = repack::names_to_be_written(plan)});
  return base::make_rules(rules);
}

/// --max-rejects may have changed since then. When the date cannot be set, the dataset is still as good as
/// before.
void date_again(const repack::RepackSummary& summary, const repack::RepackOptions& options,
                base::Reporter& reporter) {
  try {
    repack::date_for_make(repack::dataset_path(options.out_folder), summary.too_many_rejects);
  } catch (const Error& error) {
    reporter.warn(error);
  }
}

}  // namespace

repack::RepackSummary run_repack(const repack::RepackOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  manifest::check_prefix(options.recipe.prefix);
  const repack::RepackPlan plan = repack::make_plan(options, reporter);
  repack::check_shard_count(plan, reporter);
  // Before the work starts, so that names that make cannot take are refused early.
  const std::string rules = dependencies(options, plan);
  if (options.dry_run) {
    if (const auto summary = repack::already_there(options, plan)) return *summary;
    pipeline::check_splits(plan.inputs, plan.recipe.intake);
    pipeline::glance_at_texts(plan.inputs, plan.recipe.intake, reporter);
    repack::RepackSummary summary{.outcome = repack::RepackSummary::Outcome::planned};
    summary.estimate = plan.estimate;
    summary.input_bytes = repack::input_bytes(plan);
    summary.planned_shards = plan.shards;
    summary.planned_extensions = plan.audio_extensions;
    for (std::size_t i = 0; i < plan.inputs.datasets.size(); ++i) {
      const auto& [name, weight] = plan.inputs.datasets[i];
      summary.planned_datasets.push_back(
          {.name = name, .seconds = plan.dataset_seconds[i], .weight = weight});
    }
    summary.needed_bytes = repack::planned_bytes(plan, workers.threads());
    check_room(options, plan, workers.threads());
    return summary;
  }
  repack::RepackSummary summary = find_or_make(options, plan, workers, reporter);
  if (summary.outcome == repack::RepackSummary::Outcome::already_there)
    date_again(summary, options, reporter);
  if (!rules.empty()) repack::write_depfile(options.depfile, rules);
  return summary;
}

}  // namespace shardmill::commands
