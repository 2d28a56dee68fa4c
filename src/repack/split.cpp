#include "repack/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/journal.hpp"
#include "repack/bucket_home.hpp"
#include "repack/depfile.hpp"
#include "repack/fingerprint.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/part_plan.hpp"
#include "repack/plan_size.hpp"
#include "repack/run.hpp"
#include "repack/split/make.hpp"
#include "repack/split_home.hpp"

namespace shardmill::repack {

namespace {

/// Rules for make that say what the split depends on. Empty when they are not wanted.
std::string dependencies(const SplitPlan& plan) {
  const std::string& depfile = plan.options.whole.depfile;
  if (depfile.empty()) return {};
  const std::vector<MakeRule> rules{{.target = split_record_path(plan.out_folder()),
                                     .prerequisites = files_of_sources(plan.train.sources)}};
  std::vector<std::string> names{std::string(manifest::kSplit)};
  for (const std::string& split : plan.names) {
    for (const std::string& name : names_to_be_written(plan.train)) names.push_back(split + "/" + name);
  }
  check_depfile(depfile, rules, {.folder = plan.out_folder(), .names = names});
  return make_rules(rules);
}

/// The first thing in which the finished split in `place` differs from the plan, in words for people.
std::optional<std::string> difference_to_record(const SplitPlan& plan, const std::string& place,
                                                const manifest::SplitRecord& record) {
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
  return difference_of_sources(plan.train, split_folder(place, deal::kTrain), record.inputs_xxh3);
}

/// A run that makes all datasets of a split.
class SplitRun final : public Run<SplitSummary> {
 public:
  /// `made`: where the datasets are made; it may be the home itself.
  SplitRun(Home& home, SplitHome& made, SplitPlan& plan, pipeline::Workers& workers, base::Reporter& reporter)
      : Run(home, plan.options.whole, reporter),
        made_(made),
        plan_(plan),
        whole_(plan.options.whole),
        workers_(workers) {}

 protected:
  SplitSummary foretell() override;
  std::optional<SplitSummary> find() override;
  void check() override { check_sources(plan_.train, reporter()); }
  void prepare() override;
  Made<SplitSummary> make() override;
  bool is_work_worth_keeping() const override {
    return !would_fail_again_ && base::exists(pipeline::journal_path(plan_.work_of(deal::kTrain)));
  }

 private:
  void check_unfinished_work(const std::optional<pipeline::Journal>& journal) const;
  MadeSplits make_shards();
  Recorded record_split(MadeSplit&& split, bool resumed);

  SplitHome& made_;
  SplitPlan& plan_;
  const RepackOptions& whole_;
  pipeline::Workers& workers_;
  RunClock clock_;
  bool would_fail_again_ = false;
};

SplitSummary SplitRun::foretell() {
  if (auto there = find()) return std::move(*there);
  home().check_place(plan_.train);
  check();
  check_room(whole_, plan_.train, workers_.threads());
  return {.outcome = RepackSummary::Outcome::planned,
          .plan = summary_of_plan(plan_.train, workers_.threads())};
}

std::optional<SplitSummary> SplitRun::find() {
  const std::string place = home().place();
  const base::ListedFolder listed(place);
  if ((whole_.force && !home().has_completed()) || !home().is_finished()) return std::nullopt;
  const manifest::SplitRecord record = manifest::read_split_record(split_record_path(place));
  std::optional<std::string> what = difference_to_record(plan_, place, record);
  SplitSummary summary{.outcome = home().has_completed() ? RepackSummary::Outcome::written
                                                         : RepackSummary::Outcome::already_there};
  for (const auto& part : record.parts) {
    if (what) break;
    summary.splits.emplace_back(part.name,
                                summary_of_finished(split_folder(place, part.name), whole_.max_rejects));
    summary.splits.back().second.outcome = summary.outcome;
    if (!summary.splits.back().second.dataset.updates.empty())
      what = part.name + " was updated since it was made";
  }
  const bool is_updated = std::any_of(summary.splits.begin(), summary.splits.end(), [](const auto& split) {
    return !split.second.dataset.updates.empty();
  });
  if (what) check_split_folder(place, plan_.names);
  if (what)
    throw Error(fmt::format("holds a finished split that differs: {}", *what), at(place),
                is_updated ? Remedy::other_folder : Remedy::other_folder_or_replace);
  return summary;
}

/// Throws Error when the folders hold unfinished work that this run cannot go on with.
void SplitRun::check_unfinished_work(const std::optional<pipeline::Journal>& journal) const {
  const auto begun = made_.begun();
  if (begun && *begun != plan_.wished())
    throw Error(fmt::format("holds an unfinished split that differs: was {}, now {}", *begun, plan_.wished()),
                at(made_.folder()), "finish that one", Remedy::start_over);
  for (const std::string& name : plan_.names) {
    check_no_parts(plan_.folder_of(name));
    if (!begun && base::exists(pipeline::journal_path(plan_.work_of(name))))
      throw Error("holds an unfinished run of another command", at(plan_.folder_of(name)), "finish that one",
                  Remedy::start_over);
  }
  if (!journal) return;
  if (const auto what = difference(journal->fingerprint, plan_.fingerprint()))
    throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(made_.folder()),
                "finish that one", Remedy::start_over);
}

void SplitRun::prepare() {
  check_room(whole_, plan_.train, workers_.threads());
  home().prepare(plan_.train, workers_.threads());
  const auto journal = pipeline::read_journal(pipeline::journal_path(plan_.work_of(deal::kTrain)));
  if (!whole_.force) check_unfinished_work(journal);
  made_.begin(plan_.wished());
  if (whole_.force || !journal) {
    for (const std::string& name : plan_.names) remove_work(plan_.work_of(name));
  }
  base::make_folders(plan_.work_of(deal::kTrain) + "/spool");
}

MadeSplits SplitRun::make_shards() {
  try {
    return make_splits(plan_, workers_, reporter());
  } catch (const deal::SplitError&) {
    would_fail_again_ = true;
    throw;
  }
}

/// Changes the plan of train to that of the split.
Recorded SplitRun::record_split(MadeSplit&& split, bool resumed) {
  RepackOptions options = whole_;
  options.out_folder = plan_.folder_of(split.name);
  RepackPlan& own = plan_.train;  // a copy might be large
  own.shards = split.shards;
  own.recipe.sizing.amount = split.shards;
  if (split.name != deal::kTrain) own.recipe.sizing.multiple_of = 1;  // train is the first
  const std::string& list_root = whole_.recipe.list_root;
  if (!list_root.empty()) own.recipe.list_root = base::inside(list_root, split.name);
  if (whole_.is_for_bucket()) own.recipe.final_place = split_folder(whole_.recipe.final_place, split.name);
  if (base::exists(options.out_folder))
    dataset::check_not_taken(options.out_folder, names_to_be_written(own),
                             dataset::dataset_file_names(options.out_folder));
  return record({.options = options,
                 .plan = own,
                 .counts = split.counts,
                 .shards = std::move(split.finished),
                 .reject_logs = {pipeline::reject_log_path(plan_.work_of(split.name))},
                 .work_folder = plan_.work_of(split.name),
                 .clock = clock_,
                 .resumed = resumed},
                workers_, reporter());
}

Made<SplitSummary> SplitRun::make() {
  MadeSplits made = make_shards();
  manifest::SplitRecord record{.by = std::string(name(plan_.options.wish.by)),
                               .wanted = text_of(plan_.options.wish),
                               .sizing = text_of(whole_.recipe.sizing),
                               .options = dataset::text_of(plan_.recipe()),
                               .inputs_xxh3 = plan_.train.sources.digest(),
                               .parts = {}};
  Made<SplitSummary> result;
  ListedSamples listed;
  for (MadeSplit& split : made.splits) {
    const auto groups = split.name == deal::kTrain ? std::nullopt : std::optional(split.groups);
    const std::string split_name = split.name;
    Recorded recorded = record_split(std::move(split), made.resumed);
    const manifest::DatasetRecord& dataset = recorded.summary.dataset;
    record.parts.push_back({.name = split_name,
                            .shards = dataset.shards,
                            .samples = dataset.samples,
                            .seconds = dataset.seconds,
                            .groups = groups});
    listed.manifests.push_back(recorded.listed.manifests.front());
    listed.rejects.push_back(recorded.listed.rejects.front());
    listed.are_all = listed.are_all && recorded.listed.are_all;
    result.files.push_back({.split = split_name, .renames = std::move(recorded.renames)});
    result.summary.splits.emplace_back(split_name, std::move(recorded.summary));
  }
  result.summary.tables = compare_with_lists(plan_.recipe().intake, listed, reporter());
  made_.set_record(std::move(record));
  return result;
}

/// Dates split.json for make: too many rejects in any dataset count.
void date_split(const SplitPlan& plan, const SplitSummary& summary) {
  const bool too_many_rejects = std::any_of(summary.splits.begin(), summary.splits.end(),
                                            [](const auto& split) { return split.second.too_many_rejects; });
  date_for_make(split_record_path(plan.out_folder()), too_many_rejects);
}

SplitSummary find_or_make(SplitPlan& plan, pipeline::Workers& workers, base::Reporter& reporter) {
  SplitHome made(plan.out_folder(), plan.names);
  const auto difference = [&](const std::string& folder) {
    return difference_to_record(plan, folder, manifest::read_split_record(split_record_path(folder)));
  };
  const RepackOptions& whole = plan.options.whole;
  ChosenHome chosen(whole, made, {.splits = plan.names, .difference = difference}, workers.threads(),
                    reporter);
  SplitSummary summary = SplitRun(chosen.home(), made, plan, workers, reporter).run();
  if (summary.outcome == RepackSummary::Outcome::written && !whole.is_for_bucket()) date_split(plan, summary);
  return summary;
}

/// Warns where that cannot be written: the split is as good as before.
void keep_max_rejects(const SplitPlan& plan, const SplitSummary& summary, base::Reporter& reporter) {
  for (const auto& [split, part] : summary.splits)
    keep_max_rejects(plan.folder_of(split), part, plan.options.whole.command, reporter);
  try {
    date_split(plan, summary);
  } catch (const Error& error) {
    reporter.warn(error);
  }
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

SplitSummary run_split(const SplitOptions& asked, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(asked.whole.recipe.prefix);
  const SplitOptions options{.whole = options_on_this_machine(asked.whole), .wish = asked.wish};
  SplitPlan plan = make_split_plan(options, reporter);
  check_apart(options.whole, plan.train.sources);
  const std::string rules = dependencies(plan);
  SplitSummary summary = find_or_make(plan, workers, reporter);
  if (options.whole.dry_run || options.whole.is_for_bucket()) return summary;
  if (summary.outcome == RepackSummary::Outcome::already_there) keep_max_rejects(plan, summary, reporter);
  if (!rules.empty()) write_depfile(options.whole.depfile, rules);
  return summary;
}

}  // namespace shardmill::repack
