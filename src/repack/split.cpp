#include "repack/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/journal.hpp"
#include "repack/depfile.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/part_plan.hpp"
#include "repack/plan_size.hpp"
#include "repack/split/folder.hpp"
#include "repack/split/make.hpp"
#include "repack/split/plan.hpp"

namespace shardmill::repack {

namespace {

/// Rules for make that say what the split depends on. Empty when they are not wanted.
std::string dependencies(const SplitPlan& plan) {
  const std::string& depfile = plan.options.whole.depfile;
  if (depfile.empty()) return {};
  const std::vector<base::MakeRule> rules{{.target = split_record_path(plan.out_folder()),
                                           .prerequisites = files_of_sources(plan.train.sources)}};
  std::vector<std::string> names{std::string(manifest::kSplit)};
  for (const std::string& split : plan.names) {
    for (const std::string& name : names_to_be_written(plan.train)) names.push_back(split + "/" + name);
  }
  check_depfile(depfile, rules, {.folder = plan.out_folder(), .names = names});
  return base::make_rules(rules);
}

/// True when no run works in the folder, and nothing has to be put right.
bool is_untouched(const SplitPlan& plan) {
  const bool is_work_left =
      base::exists(work_folder_of(plan.out_folder())) ||
      std::any_of(plan.names.begin(), plan.names.end(),
                  [&plan](const std::string& name) { return base::exists(plan.work_of(name)); });
  return base::exists(split_record_path(plan.out_folder())) && !is_work_left;
}

/// The first thing in which the finished split differs from the plan, in words for people.
std::optional<std::string> difference_to_record(const SplitPlan& plan, const manifest::SplitRecord& record) {
  const auto compare = [](std::string_view option, const std::string& was, std::string_view is) {
    return was == is ? std::nullopt : std::optional(fmt::format("{}: was {}, now {}", option, was, is));
  };
  const deal::ShardSizing& sizing = plan.options.whole.recipe.sizing;
  if (auto what = compare("split", record.wanted, text_of(plan.options.wish))) return what;
  if (auto what = compare("split-by", record.by, name(plan.options.wish.by))) return what;
  if (auto what = dataset::difference_to_finished(record.options, dataset::text_of(plan.recipe())))
    return what;
  // Where a number of shards is asked for, it was compared with the options.
  if (sizing.by != deal::ShardSizing::By::shards) {
    if (auto what = compare("how many shards", record.sizing, text_of(sizing))) return what;
  }
  return difference_of_sources(plan.train, plan.folder_of(deal::kTrain), record.inputs_xxh3);
}

/// Sums up the finished split that the plan would make again; nullopt when it does not exist or is to be
/// replaced. Throws Error for a split that differs.
std::optional<SplitSummary> already_there(const SplitPlan& plan) {
  const RepackOptions& whole = plan.options.whole;
  if (whole.force || !base::exists(split_record_path(plan.out_folder()))) return std::nullopt;
  const manifest::SplitRecord record = manifest::read_split_record(split_record_path(plan.out_folder()));
  std::optional<std::string> what = difference_to_record(plan, record);
  SplitSummary summary{.outcome = RepackSummary::Outcome::already_there};
  for (const auto& part : record.parts) {
    if (what) break;
    summary.splits.emplace_back(part.name, summary_of_finished(plan.folder_of(part.name), whole.max_rejects));
    if (!summary.splits.back().second.dataset.updates.empty())
      what = part.name + " was updated since it was made";
  }
  const bool is_updated = std::any_of(summary.splits.begin(), summary.splits.end(), [](const auto& split) {
    return !split.second.dataset.updates.empty();
  });
  if (what)
    throw Error(fmt::format("holds a finished split that differs: {}", *what), at(plan.out_folder()),
                is_updated ? Remedy::other_folder : Remedy::other_folder_or_replace);
  return summary;
}

/// Throws Error when the folders hold unfinished work that this run cannot go on with.
void check_unfinished_work(const SplitPlan& plan, const std::optional<pipeline::Journal>& journal) {
  const auto begun = begun_split(plan.out_folder());
  if (begun && *begun != plan.wished())
    throw Error(fmt::format("holds an unfinished split that differs: was {}, now {}", *begun, plan.wished()),
                at(plan.out_folder()), "finish that one", Remedy::start_over);
  for (const std::string& name : plan.names) {
    check_no_parts(plan.folder_of(name));
    if (!begun && base::exists(pipeline::journal_path(plan.work_of(name))))
      throw Error("holds an unfinished run of another command", at(plan.folder_of(name)), "finish that one",
                  Remedy::start_over);
  }
  if (!journal) return;
  if (const auto what = difference(journal->fingerprint, plan.fingerprint()))
    throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(plan.out_folder()),
                "finish that one", Remedy::start_over);
}

/// Makes the work folders ready for a new run, or for one that goes on.
void prepare_work(const SplitPlan& plan) {
  const bool force = plan.options.whole.force;
  const auto journal = pipeline::read_journal(pipeline::journal_path(plan.work_of(deal::kTrain)));
  if (!force) check_unfinished_work(plan, journal);
  begin_split(plan.out_folder(), plan.wished());
  if (force || !journal) {
    for (const std::string& name : plan.names) remove_work(plan.work_of(name));
  }
  base::make_folders(plan.work_of(deal::kTrain) + "/spool");
}

/// After a failure: removes the work of a run that has nothing worth keeping, because it stopped before its
/// first checkpoint or because the same command would fail again.
void clean_up_failure(const SplitPlan& plan, bool would_fail_again) noexcept {
  try {
    const std::string& out = plan.out_folder();
    const bool is_worth_keeping =
        !would_fail_again && base::exists(pipeline::journal_path(plan.work_of(deal::kTrain)));
    if (is_worth_keeping || base::exists(work_folder_of(out) + "/" + std::string(manifest::kSplit))) return;
    remove_split_work(out, plan.names);
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find the rest.
  }
}

/// Records the datasets of the split and gives all of them their final names at once. The shards of all
/// splits must be durable. Changes the plan of train to that of each split in turn. Throws Error, also when a
/// lock was lost.
SplitSummary publish_splits(SplitPlan& plan, MadeSplits&& made, const RunClock& clock,
                            const SplitLocks& locks, pipeline::Workers& workers, base::Reporter& reporter) {
  reporter.phase("recording");
  const SplitOptions& asked = plan.options;
  manifest::SplitRecord record{.by = std::string(name(asked.wish.by)),
                               .wanted = text_of(asked.wish),
                               .sizing = text_of(asked.whole.recipe.sizing),
                               .options = dataset::text_of(plan.recipe()),
                               .inputs_xxh3 = plan.train.sources.digest(),
                               .parts = {}};
  SplitSummary result;
  bool too_many_rejects = false;
  ListedSamples listed;
  for (MadeSplit& split : made.splits) {
    RepackOptions options = asked.whole;
    options.out_folder = plan.folder_of(split.name);
    RepackPlan& own = plan.train;  // a copy might be large
    own.shards = split.shards;
    own.recipe.sizing.amount = split.shards;
    if (split.name != deal::kTrain) own.recipe.sizing.multiple_of = 1;  // train is the first
    const std::string& list_root = asked.whole.recipe.list_root;
    if (!list_root.empty()) own.recipe.list_root = list_root + "/" + split.name;
    if (base::exists(options.out_folder))
      dataset::check_not_taken(options.out_folder, names_to_be_written(own),
                               dataset::dataset_file_names(options.out_folder));
    Recorded recorded = repack::record({.options = options,
                                        .plan = own,
                                        .counts = split.counts,
                                        .tallies = split.tallies,
                                        .shards = std::move(split.finished),
                                        .reject_logs = {pipeline::reject_log_path(plan.work_of(split.name))},
                                        .work_folder = plan.work_of(split.name),
                                        .lock = locks.outer(),
                                        .workers = workers,
                                        .reporter = reporter},
                                       clock, made.resumed);
    RepackSummary& summary = recorded.summary;
    record.parts.push_back(
        {.name = split.name,
         .shards = summary.dataset.shards,
         .samples = summary.dataset.samples,
         .seconds = summary.dataset.seconds,
         .groups = split.name == deal::kTrain ? std::nullopt : std::optional(split.groups)});
    too_many_rejects = too_many_rejects || summary.too_many_rejects;
    dataset::prepare_publishing(options.out_folder, recorded.renames);
    const std::string ready = plan.work_of(split.name) + "/ready/";
    listed.manifests.push_back(ready + std::string(manifest::kAllSamples));
    listed.rejects.push_back(ready + std::string(manifest::kRejects));
    listed.are_all = listed.are_all && knows_all_keys(plan.recipe().intake, split.counts);
    result.splits.emplace_back(split.name, std::move(summary));
  }
  result.tables = compare_with_lists(plan.recipe().intake, listed, reporter);
  locks.check_held();
  commit_split(plan.out_folder(), record);
  finish_split(plan.out_folder());
  date_for_make(split_record_path(plan.out_folder()), too_many_rejects);
  return result;
}

SplitSummary make_and_publish(SplitPlan& plan, const RunClock& clock, const SplitLocks& locks,
                              pipeline::Workers& workers, base::Reporter& reporter) {
  prepare_work(plan);
  try {
    return publish_splits(plan, make_splits(plan, workers, reporter), clock, locks, workers, reporter);
  } catch (const deal::SplitError&) {
    clean_up_failure(plan, true);
    throw;
  } catch (...) {
    clean_up_failure(plan, false);
    throw;
  }
}

/// Warns where that cannot be written: the split is as good as before.
void keep_max_rejects(const SplitPlan& plan, const SplitSummary& summary, base::Reporter& reporter) {
  bool too_many_rejects = false;
  for (const auto& [split, part] : summary.splits) {
    keep_max_rejects(plan.folder_of(split), part, plan.options.whole.command, reporter);
    too_many_rejects = too_many_rejects || part.too_many_rejects;
  }
  try {
    date_for_make(split_record_path(plan.out_folder()), too_many_rejects);
  } catch (const Error& error) {
    reporter.warn(error);
  }
}

SplitSummary find_or_make(SplitPlan& plan, const RunClock& clock, pipeline::Workers& workers,
                          base::Reporter& reporter) {
  const RepackOptions& whole = plan.options.whole;
  if (is_untouched(plan)) {
    if (auto there = already_there(plan)) return std::move(*there);
  }
  check_sources(plan.train, reporter);
  SplitLocks locks;
  locks.add(lock_folder(work_folder_of(plan.out_folder()), whole, reporter));
  std::set<std::string> locked(plan.names.begin(), plan.names.end());
  locked.merge(committed_splits(plan.out_folder()));
  for (const std::string& name : locked) locks.add(lock_folder(plan.work_of(name), whole, reporter));
  finish_split(plan.out_folder());
  if (auto there = already_there(plan)) return std::move(*there);
  check_room(whole, plan.train, workers.threads());
  return make_and_publish(plan, clock, locks, workers, reporter);
}

/// What is finished already, or what a run would make.
SplitSummary plan_only(const SplitPlan& plan, const pipeline::Workers& workers, base::Reporter& reporter) {
  if (auto there = already_there(plan)) return std::move(*there);
  check_sources(plan.train, reporter);
  check_room(plan.options.whole, plan.train, workers.threads());
  return {.outcome = RepackSummary::Outcome::planned, .plan = summary_of_plan(plan.train, workers.threads())};
}

}  // namespace

/// "read:" where the split is taken from that dataset alone.
std::string dataset_of(const deal::SplitWish& wish, const std::string& split) {
  const auto from = wish.datasets.find(split);
  return from == wish.datasets.end() ? std::string() : from->second + ":";
}

std::string text_of(const deal::SplitWish& wish) {
  if (wish.by == deal::SplitBy::subset) return "subset";
  std::string text;
  for (const auto& [name, amount] : wish.amounts)
    text += fmt::format("{}{}={}{}", text.empty() ? "" : ",", name, dataset_of(wish, name),
                        std::chrono::duration<double>(amount).count());
  return text;
}

std::string_view name(deal::SplitBy by) {
  switch (by) {
    case deal::SplitBy::speaker:
      return "speaker";
    case deal::SplitBy::key:
      return "key";
    case deal::SplitBy::subset:
      break;
  }
  return "subset";
}

void settle_split(const std::string& out_folder, const RepackOptions& options, base::Reporter& reporter) {
  std::set<std::string> names = committed_splits(out_folder);
  const bool is_committed = !names.empty();
  // Without split.json, the first run of all is unfinished, and the same command goes on with it.
  const bool is_given_up =
      !is_committed && begun_split(out_folder) && base::exists(split_record_path(out_folder));
  if (!is_committed && !is_given_up) return;
  if (is_given_up) {
    for (const auto& part : manifest::read_split_record(split_record_path(out_folder)).parts)
      names.insert(part.name);
  }
  SplitLocks locks;
  for (const std::string& name : names)
    locks.add(lock_folder(work_folder_of(split_folder(out_folder, name)), options, reporter));
  if (is_committed) {
    finish_split(out_folder);
  } else {
    warn_of_dropped_work(out_folder, reporter);
    remove_split_work(out_folder, {names.begin(), names.end()});
  }
}

SplitSummary run_split(const SplitOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(options.whole.recipe.prefix);
  const RunClock clock;
  SplitPlan plan = make_split_plan(options, reporter);
  const std::string rules = dependencies(plan);
  if (options.whole.dry_run) return plan_only(plan, workers, reporter);
  SplitSummary summary = find_or_make(plan, clock, workers, reporter);
  if (summary.outcome == RepackSummary::Outcome::already_there) keep_max_rejects(plan, summary, reporter);
  if (!rules.empty()) write_depfile(options.whole.depfile, rules);
  return summary;
}

}  // namespace shardmill::repack
