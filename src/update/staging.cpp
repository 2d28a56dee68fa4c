#include "update/staging.hpp"

#include "base/io/folder.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/mill.hpp"
#include "pipeline/text_check.hpp"

namespace shardmill::update {

namespace {

/// Keeps what an unfinished run of the same update left; removes anything else.
void prepare(const std::string& work, const std::string& fingerprint) {
  if (const auto journal = pipeline::read_journal(pipeline::journal_path(work))) {
    if (journal->fingerprint == fingerprint) return;
    throw Error("an unfinished update has other sources or options, or they changed since", at(work),
                "give the same command again", Remedy::start_over);
  }
  base::remove_tree(work);
  base::make_folders(work + "/spool");
}

pipeline::MillPlan mill_plan(const repack::RepackPlan& plan, const UpdateOptions& options,
                             const std::string& work, const std::string& fingerprint, const Known& known) {
  return {.inputs = plan.inputs,
          .intake = plan.recipe.intake,
          .interleave = plan.recipe.interleave,
          .seed = plan.recipe.seed,
          .shards = 1,
          .hash_tars = false,
          .work_folder = work,
          .fingerprint = fingerprint,
          .taken = known.keys,
          .withheld = known.withheld,
          .heard = known.sounds,
          .unusable = plan.sources.unusable,
          .promises = plan.sources.promises,
          .checkpoints = options.checkpoints};
}

}  // namespace

repack::RepackPlan plan_staging(const UpdateOptions& options, const manifest::DatasetRecord& dataset,
                                const dataset::Recipe& recipe, base::Reporter& reporter) {
  repack::RepackOptions how;
  how.sources = options.sources;
  how.allow_commands = options.allow_commands;
  how.out_folder = options.folder;
  how.recipe = recipe;
  how.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 1};
  // Shares were settled when the dataset was made: each part has its weight.
  how.recipe.weights.clear();
  how.recipe.takes.clear();
  how.recipe.shares.clear();
  how.recipe.temperature.reset();
  how.are_tables_for_all = !options.tables.empty();
  how.are_names_for_all = false;
  how.ignore_free_space = options.ignore_free_space;
  repack::RepackPlan plan = repack::make_plan(how, reporter);
  for (pipeline::DatasetInput& input : plan.inputs.datasets) {
    for (const auto& part : dataset.datasets) {
      if (part.dataset == input.name) input.weight = part.weight;
    }
  }
  return plan;
}

Staged stage(const repack::RepackPlan& plan, const UpdateOptions& options, const std::string& work,
             const std::string& fingerprint, const Known& known, pipeline::Workers& workers,
             base::Reporter& reporter) {
  pipeline::glance_at_texts(plan.inputs, plan.recipe.intake, reporter);
  prepare(work, fingerprint);
  pipeline::MillPlan how = mill_plan(plan, options, work, fingerprint, known);
  if (plan.recipe.intake.on_duplicate == pipeline::OnDuplicate::first)
    how.claims = pipeline::claims_of(plan.inputs, plan.recipe.intake, plan.recipe.seed, workers, reporter);
  reporter.progress().input_bytes_total = plan.inputs.bytes();
  pipeline::Mill mill(how, workers, reporter);
  mill.resume();
  mill.run();
  return {.tar = mill.spools().tar_path(0),
          .manifest = mill.spools().manifest_path(0),
          .reject_log = pipeline::reject_log_path(work),
          .counts = mill.counts()};
}

}  // namespace shardmill::update
