#include "repack/repack.hpp"

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
  pipeline::check_splits(plan.inputs, plan.recipe.intake);
  pipeline::glance_at_texts(plan.inputs, plan.recipe.intake, reporter);
  check_room(options, plan, workers.threads());
  return summary_of_plan(plan, workers.threads());
}

}  // namespace

RepackSummary run_repack(const RepackOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(options.recipe.prefix);
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
