#include "repack/repack.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/pack_shards.hpp"
#include "repack/bucket_home.hpp"
#include "repack/depfile.hpp"
#include "repack/fingerprint.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/home.hpp"
#include "repack/part_plan.hpp"
#include "repack/plan.hpp"
#include "repack/plan_size.hpp"
#include "repack/run.hpp"

namespace shardmill::repack {

namespace {

/// Rules for make: the files that the dataset depends on. Empty without --depfile.
std::string dependencies(const RepackOptions& options, const RepackPlan& plan) {
  if (options.depfile.empty()) return {};
  const std::vector<MakeRule> rules{
      {.target = dataset_path(options.out_folder), .prerequisites = files_of_sources(plan.sources)}};
  check_depfile(options.depfile, rules, {.folder = options.out_folder, .names = names_to_be_written(plan)});
  return make_rules(rules);
}

/// A run that makes a dataset by itself.
class WholeRun final : public Run<RepackSummary> {
 public:
  WholeRun(Home& home, const RepackOptions& options, const RepackPlan& plan, pipeline::Workers& workers,
           base::Reporter& reporter)
      : Run(home, options, reporter), options_(options), plan_(plan), workers_(workers) {}

 protected:
  RepackSummary foretell() override;
  std::optional<RepackSummary> find() override;
  void check() override { check_sources(plan_, reporter()); }
  void prepare() override;
  Made<RepackSummary> make() override;
  bool is_work_worth_keeping() const override { return base::exists(journal()); }

 private:
  std::string journal() const { return pipeline::journal_path(home().work()); }
  void expect_work();

  const RepackOptions& options_;
  const RepackPlan& plan_;
  pipeline::Workers& workers_;
};

std::optional<RepackSummary> WholeRun::find() {
  const base::ListedFolder listed(home().place());
  RepackOptions there = options_;
  there.out_folder = home().place();
  there.force = options_.force && !home().has_completed();
  auto summary = already_there(there, plan_);
  if (summary && home().has_completed()) {
    summary->outcome = RepackSummary::Outcome::written;
    summary->resumed = true;
  }
  return summary;
}

RepackSummary WholeRun::foretell() {
  if (const auto summary = find()) return *summary;
  home().check_place(plan_);
  check();
  check_room(options_, plan_, workers_.threads());
  return summary_of_plan(plan_, workers_.threads());
}

void WholeRun::prepare() {
  check_room(options_, plan_, workers_.threads());
  home().prepare(plan_, workers_.threads());
  if (options_.force) {
    check_no_part_at_work(home().folder());
  } else {
    check_no_parts(home().folder());
    if (const auto unfinished = pipeline::read_journal(journal())) {
      if (const auto what = difference(unfinished->fingerprint, fingerprint(plan_)))
        throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(home().folder()),
                    "finish that one", Remedy::start_over);
      return;
    }
  }
  remove_work(home().work());
  base::make_folders(home().work() + "/spool");
}

/// The total includes compressing, so that one figure shows the progress of the whole run. Without an
/// estimate, we assume what plain sources contain; the true sizes are known before packing begins.
void WholeRun::expect_work() {
  const std::uint64_t input = plan_.inputs.bytes();
  const std::uint64_t plain = plan_.estimate.bytes != 0 ? plan_.estimate.bytes : input;
  const bool compresses = plan_.recipe.codec != codec::Codec::none;
  const std::uint64_t packing = compresses ? pipeline::packing_work(plain, encoder_options(plan_.recipe)) : 0;
  reporter().progress().input_bytes_total = input + packing;
}

Made<RepackSummary> WholeRun::make() {
  const RunClock clock;
  pipeline::MillPlan how = mill_plan(plan_, plan_.inputs, home().work(), options_.checkpoints);
  how.claims = pipeline::claims_of(how.inputs, how.intake, how.seed, workers_, reporter());
  expect_work();
  pipeline::Mill mill(how, workers_, reporter());
  const bool resumed = mill.resume();
  mill.run();
  Recorded recorded = record({.options = options_,
                              .plan = plan_,
                              .counts = mill.counts(),
                              .shards = pack(mill, plan_.recipe, workers_, reporter()),
                              .reject_logs = {pipeline::reject_log_path(how.work_folder)},
                              .work_folder = how.work_folder,
                              .clock = clock,
                              .resumed = resumed},
                             workers_, reporter());
  recorded.summary.tables = compare_with_lists(plan_.recipe.intake, recorded.listed, reporter());
  recorded.summary.seconds = clock.elapsed_seconds();
  return {.summary = std::move(recorded.summary),
          .files = {{.split = {}, .renames = std::move(recorded.renames)}}};
}

RepackSummary find_or_make(const RepackOptions& options, const RepackPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  DatasetHome made(options.out_folder);
  ChosenHome chosen(
      options, made,
      {.difference = [&](const std::string& folder) { return difference_to_finished(plan, folder); }},
      workers.threads(), reporter);
  return WholeRun(chosen.home(), options, plan, workers, reporter).run();
}

}  // namespace

RepackSummary run_repack(const RepackOptions& asked, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(asked.recipe.prefix);
  const RepackOptions options = options_on_this_machine(asked);
  const RepackPlan plan = make_plan(options, reporter);
  check_apart(options, plan.sources);
  check_shard_count(plan, reporter);
  // This comes before the work, so that names that make cannot read are refused early.
  const std::string rules = dependencies(options, plan);
  RepackSummary summary = find_or_make(options, plan, workers, reporter);
  if (options.dry_run || options.is_for_bucket()) return summary;
  if (summary.outcome == RepackSummary::Outcome::already_there)
    keep_max_rejects(options.out_folder, summary, options.command, reporter);
  if (!rules.empty()) write_depfile(options.depfile, rules);
  return summary;
}

}  // namespace shardmill::repack
