#include "commands/repack.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "manifest/layout.hpp"
#include "pipeline/split_check.hpp"
#include "pipeline/text_check.hpp"
#include "repack/depfile.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/plan.hpp"
#include "repack/plan_summary.hpp"
#include "repack/shard_count_check.hpp"
#include "repack/whole_run.hpp"

namespace shardmill::commands {

namespace {

/// Rules for make: the files that the dataset depends on. Empty without --depfile.
std::string dependencies(const repack::RepackOptions& options, const repack::RepackPlan& plan) {
  if (options.depfile.empty()) return {};
  const std::vector<base::MakeRule> rules{{.target = repack::dataset_path(options.out_folder),
                                           .prerequisites = repack::files_of_sources(plan.sources)}};
  repack::check_depfile(options.depfile, rules,
                        {.folder = options.out_folder, .names = repack::names_to_be_written(plan)});
  return base::make_rules(rules);
}

/// The result of --dry-run: the finished dataset if there is one, or else the plan.
repack::RepackSummary plan_only(const repack::RepackOptions& options, const repack::RepackPlan& plan,
                                const pipeline::Workers& workers, base::Reporter& reporter) {
  if (const auto summary = repack::already_there(options, plan)) return *summary;
  pipeline::check_splits(plan.inputs, plan.recipe.intake);
  pipeline::glance_at_texts(plan.inputs, plan.recipe.intake, reporter);
  repack::check_room(options, plan, workers.threads());
  return repack::summary_of_plan(plan, workers.threads());
}

}  // namespace

repack::RepackSummary run_repack(const repack::RepackOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  manifest::check_prefix(options.recipe.prefix);
  const repack::RepackPlan plan = repack::make_plan(options, reporter);
  repack::check_shard_count(plan, reporter);
  // This comes before the work, so that names that make cannot read are refused early.
  const std::string rules = dependencies(options, plan);
  if (options.dry_run) return plan_only(options, plan, workers, reporter);
  repack::RepackSummary summary = repack::find_or_make(options, plan, workers, reporter);
  if (summary.outcome == repack::RepackSummary::Outcome::already_there)
    repack::keep_max_rejects(options.out_folder, summary, options.command, reporter);
  if (!rules.empty()) repack::write_depfile(options.depfile, rules);
  return summary;
}

}  // namespace shardmill::commands
