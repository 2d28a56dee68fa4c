#include "shardmill/commands/repack.hpp"

#include <fmt/format.h>

#include "shardmill/base/folder.hpp"
#include "shardmill/base/writer_lock.hpp"
#include "shardmill/commands/depfile.hpp"
#include "shardmill/commands/finished_dataset.hpp"
#include "shardmill/commands/free_space.hpp"
#include "shardmill/commands/part_plan.hpp"
#include "shardmill/commands/publish.hpp"
#include "shardmill/commands/repack_finish.hpp"
#include "shardmill/commands/repack_folder.hpp"
#include "shardmill/commands/repack_plan.hpp"
#include "shardmill/commands/repack_records.hpp"
#include "shardmill/commands/shard_count_check.hpp"
#include "shardmill/manifest/layout.hpp"
#include "shardmill/pipeline/journal.hpp"
#include "shardmill/pipeline/pack_shards.hpp"
#include "shardmill/pipeline/text_check.hpp"

namespace shardmill::commands {

namespace {

/// Makes the work folder ready: an unfinished run of the same plan stays, anything else goes.
void prepare_work_folder(const RepackOptions& options, const RepackPlan& plan) {
  const std::string work = work_folder_of(options.out_folder);
  if (!options.force) check_no_parts(options.out_folder);
  std::optional<pipeline::Journal> journal;
  if (!options.force) journal = pipeline::read_journal(pipeline::journal_path(work));
  if (journal) {
    if (const auto what = difference(journal->fingerprint, fingerprint(plan))) {
      throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(options.out_folder),
                  "finish that one, or start over with --force");
    }
    return;
  }
  if (options.force) check_no_part_at_work(options.out_folder);
  remove_work(work);
  base::make_folders(work + "/spool");
}

pipeline::MillPlan mill_plan(const RepackOptions& options, const RepackPlan& plan) {
  return {.inputs = plan.inputs,
          .intake = options.intake,
          .seed = options.seed,
          .shards = plan.shards,
          .hash_tars = options.codec == codec::Codec::none,
          .work_folder = work_folder_of(options.out_folder),
          .fingerprint = fingerprint(plan),
          .unusable = plan.sources.unusable,
          .checkpoints = options.checkpoints};
}

/// From an empty or resumed work folder to the finished dataset.
RepackSummary mill_all(const RepackOptions& options, const RepackPlan& plan, const base::WriterLock& lock,
                       pipeline::Workers& workers, base::Reporter& reporter) {
  const RunClock clock;
  pipeline::MillPlan how = mill_plan(options, plan);
  if (options.intake.on_duplicate == pipeline::OnDuplicate::first)
    how.claims = pipeline::claims_of(plan.inputs, options.intake, options.seed, workers, reporter);
  const bool compresses = options.codec != codec::Codec::none;
  // Compressing counts as well: one figure tells how far the whole run is.
  // Without an estimate, about what plain sources hold; the true sizes are known before packing begins.
  const std::uint64_t plain = plan.estimate.bytes != 0 ? plan.estimate.bytes : input_bytes(plan);
  const std::uint64_t packing = compresses ? pipeline::packing_work(plain, encoder_options(options)) : 0;
  reporter.progress().input_bytes_total = input_bytes(plan) + packing;

  pipeline::Mill mill(how, workers, reporter);
  const bool resumed = mill.resume();
  mill.run();
  reporter.phase(compresses ? "compressing" : "recording");
  const auto shards = pipeline::pack_shards(mill.spools(), encoder_options(options), workers, reporter);
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

/// What an earlier run has left is part of what is needed, or makes room when it goes.
void check_room(const RepackOptions& options, const RepackPlan& plan, unsigned threads) {
  if (options.ignore_free_space) return;
  check_free_space(options.out_folder, planned_bytes(options, plan, threads),
                   bytes_below(work_folder_of(options.out_folder)));
}

/// A run that stopped before its first checkpoint leaves nothing worth keeping.
void clean_up_failure(const std::string& work, const base::WriterLock& lock) noexcept {
  try {
    lock.check_held();  // else it is another run's work
    if (!base::exists(pipeline::journal_path(work)) && !base::exists(publish_list_path(work)))
      remove_work(work);
  } catch (const std::exception&) {
    // The failure that led here is the one to tell of; the next run finds what is left.
  }
}

/// The dataset that is there already, or a new one.
RepackSummary find_or_make(const RepackOptions& options, const RepackPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  const std::string work = work_folder_of(options.out_folder);
  if (auto summary = already_there_untouched(options, plan)) return *summary;
  pipeline::glance_at_texts(plan.inputs, options.intake, reporter);
  const base::WriterLock held = lock_folder(work, options, reporter);
  if (finish_publishing(options.out_folder)) remove_work(work);
  if (auto summary = already_there(options, plan)) return *summary;
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

/// For make: what the dataset depends on. Empty when nobody asked.
std::string dependencies(const RepackOptions& options, const RepackPlan& plan) {
  if (options.depfile.empty()) return {};
  const std::vector<base::MakeRule> rules{
      {.target = dataset_path(options.out_folder), .prerequisites = files_behind(plan.sources)}};
  check_depfile(options.depfile, rules,
                {.folder = options.out_folder, .names = names_to_be_written(options, plan)});
  return base::make_rules(rules);
}

/// --max-rejects may be another one now. Where the date cannot be set, what is there is as good as before.
void date_again(const RepackSummary& summary, const RepackOptions& options, base::Reporter& reporter) {
  try {
    date_for_make(dataset_path(options.out_folder), summary.too_many_rejects);
  } catch (const Error& error) {
    reporter.warn(error);
  }
}

}  // namespace

RepackSummary run_repack(const RepackOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(options.prefix);
  const RepackPlan plan = make_plan(options, reporter);
  check_shard_count(options, plan, reporter);
  // Before the work: names that make cannot take are refused here.
  const std::string rules = dependencies(options, plan);
  if (options.dry_run) {
    if (const auto summary = already_there(options, plan)) return *summary;
    pipeline::glance_at_texts(plan.inputs, options.intake, reporter);
    RepackSummary summary{.outcome = RepackSummary::Outcome::planned};
    summary.estimate = plan.estimate;
    summary.input_bytes = input_bytes(plan);
    summary.planned_shards = plan.shards;
    summary.planned_extensions = plan.audio_extensions;
    summary.needed_bytes = planned_bytes(options, plan, workers.threads());
    check_room(options, plan, workers.threads());
    return summary;
  }
  RepackSummary summary = find_or_make(options, plan, workers, reporter);
  if (summary.outcome == RepackSummary::Outcome::already_there) date_again(summary, options, reporter);
  if (!rules.empty()) write_depfile(options.depfile, rules);
  return summary;
}

}  // namespace shardmill::commands
