#include "repack/repack.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/remote/url.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/pack_shards.hpp"
#include "repack/bucket.hpp"
#include "repack/depfile.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/part_plan.hpp"
#include "repack/plan.hpp"
#include "repack/plan_size.hpp"
#include "repack/records.hpp"

namespace shardmill::repack {

namespace {

/// Rules for make: the files that the dataset depends on. Empty without --depfile.
std::string dependencies(const RepackOptions& options, const RepackPlan& plan) {
  if (options.depfile.empty()) return {};
  const std::vector<base::MakeRule> rules{
      {.target = dataset_path(options.out_folder), .prerequisites = files_of_sources(plan.sources)}};
  check_depfile(options.depfile, rules, {.folder = options.out_folder, .names = names_to_be_written(plan)});
  return base::make_rules(rules);
}

/// The result of --dry-run: the finished dataset if there is one, or else the plan.
RepackSummary plan_only(const RepackOptions& options, const RepackPlan& plan,
                        const pipeline::Workers& workers, base::Reporter& reporter) {
  if (const auto summary = already_there(options, plan)) return *summary;
  check_sources(plan, reporter);
  check_room(options, plan, workers.threads());
  return summary_of_plan(plan, workers.threads());
}

/// Prepares the work folder: keeps an unfinished run of the same plan, removes anything else.
void prepare_work_folder(const RepackOptions& options, const RepackPlan& plan) {
  const std::string work = work_folder_of(options.out_folder);
  if (!options.force) check_no_parts(options.out_folder);
  std::optional<pipeline::Journal> journal;
  if (!options.force) journal = pipeline::read_journal(pipeline::journal_path(work));
  if (journal) {
    if (const auto what = difference(journal->fingerprint, fingerprint(plan))) {
      throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(options.out_folder),
                  "finish that one", Remedy::start_over);
    }
    return;
  }
  if (options.force) check_no_part_at_work(options.out_folder);
  remove_work(work);
  base::make_folders(work + "/spool");
}

pipeline::MillPlan mill_plan(const RepackOptions& options, const RepackPlan& plan) {
  return {.inputs = plan.inputs,
          .intake = plan.recipe.intake,
          .interleave = plan.recipe.interleave,
          .seed = plan.recipe.seed,
          .even = plan.recipe.even,
          .shards = plan.shards,
          .hash_tars = plan.recipe.codec == codec::Codec::none,
          .work_folder = work_folder_of(options.out_folder),
          .fingerprint = fingerprint(plan),
          .unusable = plan.sources.unusable,
          .promises = plan.sources.promises,
          .checkpoints = options.checkpoints};
}

/// Works from an empty or resumed work folder to the finished dataset.
RepackSummary mill_all(const RepackOptions& options, const RepackPlan& plan, const base::WriterLock& lock,
                       pipeline::Workers& workers, base::Reporter& reporter) {
  const RunClock clock;
  pipeline::MillPlan how = mill_plan(options, plan);
  if (plan.recipe.intake.on_duplicate == pipeline::OnDuplicate::first)
    how.claims = pipeline::claims_of(plan.inputs, plan.recipe.intake, plan.recipe.seed, workers, reporter);
  const bool compresses = plan.recipe.codec != codec::Codec::none;
  // The total includes compressing, so that one figure shows the progress of the whole run. Without an
  // estimate, we assume what plain sources contain; the true sizes are known before packing begins.
  const std::uint64_t plain = plan.estimate.bytes != 0 ? plan.estimate.bytes : input_bytes(plan);
  const std::uint64_t packing = compresses ? pipeline::packing_work(plain, encoder_options(plan.recipe)) : 0;
  reporter.progress().input_bytes_total = input_bytes(plan) + packing;

  pipeline::Mill mill(how, workers, reporter);
  const bool resumed = mill.resume();
  mill.run();
  reporter.phase(compresses ? "compressing" : "recording");
  const auto shards = pipeline::pack_shards(mill.spools(), encoder_options(plan.recipe), workers, reporter);
  reporter.phase("recording");
  return record_and_publish({.options = options,
                             .plan = plan,
                             .counts = mill.counts(),
                             .tallies = mill.tallies(),
                             .shards = finished_shards(mill.spools(), shards),
                             .reject_logs = {pipeline::reject_log_path(how.work_folder)},
                             .work_folder = how.work_folder,
                             .lock = lock,
                             .workers = workers,
                             .reporter = reporter},
                            clock, resumed);
}

/// Removes the work of a run that stopped before its first checkpoint, which has nothing worth keeping.
void clean_up_failure(const std::string& work, const base::WriterLock& lock) noexcept {
  try {
    lock.check_held();  // otherwise the work belongs to another run
    if (!base::exists(pipeline::journal_path(work)) && !base::exists(dataset::publish_list_path(work)))
      remove_work(work);
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find the rest.
  }
}

/// Returns the dataset that exists already, or makes a new one. Goes on with an unfinished run of the same
/// plan. Throws Error for an unfinished run or a dataset that differs, and for everything else that stops the
/// run. The next run continues the work done until then.
RepackSummary find_or_make(const RepackOptions& options, const RepackPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  const std::string work = work_folder_of(options.out_folder);
  if (auto summary = already_there_untouched(options, plan)) return *summary;
  check_sources(plan, reporter);
  const base::WriterLock held = lock_folder(work, options, reporter);
  if (dataset::finish_publishing(options.out_folder)) remove_work(work);
  if (auto summary = already_there(options, plan)) {
    settle_folder(options.out_folder, reporter);
    return *summary;
  }
  check_room(options, plan, workers.threads());
  prepare_work_folder(options, plan);
  try {
    RepackSummary summary = mill_all(options, plan, held, workers, reporter);
    remove_work(work);
    return summary;
  } catch (...) {
    clean_up_failure(work, held);
    throw;
  }
}

}  // namespace

RepackSummary run_repack(const RepackOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(options.recipe.prefix);
  if (base::is_remote(options.out_folder)) {
    const auto make = [&](const RepackOptions& local, const RepackPlan& plan) {
      return find_or_make(local, plan, workers, reporter);
    };
    return run_in_bucket(options, make, workers, reporter);
  }
  const RepackPlan plan = make_plan(options, reporter);
  check_shard_count(plan, reporter);
  // This comes before the work, so that names that make cannot read are refused early.
  const std::string rules = dependencies(options, plan);
  if (options.dry_run) return plan_only(options, plan, workers, reporter);
  RepackSummary summary = find_or_make(options, plan, workers, reporter);
  if (summary.outcome == RepackSummary::Outcome::already_there)
    keep_max_rejects(options.out_folder, summary, options.command, reporter);
  if (!rules.empty()) write_depfile(options.depfile, rules);
  return summary;
}

}  // namespace shardmill::repack
