#include "update/staging.hpp"

#include <fmt/format.h>

#include "base/io/folder.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/mill.hpp"
#include "pipeline/text_check.hpp"
#include "repack/finish.hpp"
#include "update/shard_staging.hpp"

namespace shardmill::update {

namespace {

/// Keeps what an unfinished run of the same update left; removes anything else. Returns the fingerprint of
/// the work that is there.
std::string prepare(const std::string& work, const std::vector<std::string>& fingerprints) {
  if (const auto journal = pipeline::read_journal(pipeline::journal_path(work))) {
    for (const std::string& fingerprint : fingerprints) {
      if (journal->fingerprint == fingerprint) return fingerprint;
    }
    throw Error("an unfinished update has other sources or options, or they changed since", at(work),
                "give the same command again", Remedy::start_over);
  }
  base::remove_tree(work);
  base::make_folders(work + "/spool");
  return fingerprints.front();
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

/// All samples into one tar.
Staged stage_plainly(const pipeline::MillPlan& how, pipeline::Workers& workers, base::Reporter& reporter) {
  pipeline::Mill mill(how, workers, reporter);
  mill.resume();
  mill.run();
  return {.shards = {},
          .others = {{.tar = mill.spools().tar_path(0), .manifest = mill.spools().manifest_path(0)}},
          .reject_log = pipeline::reject_log_path(how.work_folder),
          .counts = mill.counts()};
}

}  // namespace

std::vector<std::string> manifests_of(const Staged& staged) {
  std::vector<std::string> manifests;
  for (const StagedShard& shard : staged.shards) manifests.push_back(shard.manifest);
  for (const Staged::Tar& tar : staged.others) manifests.push_back(tar.manifest);
  return manifests;
}

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
             const std::string& fingerprint, const Known& known, const std::optional<NewShards>& wanted,
             pipeline::Workers& workers, base::Reporter& reporter) {
  pipeline::glance_at_texts(plan.inputs, plan.recipe.intake, reporter);
  const std::string plain = fingerprint + "new shards 0\n";
  std::optional<Allotment> allotment;
  if (wanted) allotment = allot(plan.inputs, plan.recipe.intake, *wanted, reporter);
  std::vector<std::string> fingerprints{plain};
  if (allotment) {
    fingerprints.insert(fingerprints.begin(),
                        fmt::format("{}new shards {}\n", fingerprint, allotment->shards));
  }
  std::string found = prepare(work, fingerprints);
  pipeline::MillPlan how = mill_plan(plan, options, work, found, known);
  if (plan.recipe.intake.on_duplicate == pipeline::OnDuplicate::first)
    how.claims = pipeline::claims_of(plan.inputs, plan.recipe.intake, plan.recipe.seed, workers, reporter);
  reporter.progress().input_bytes_total = plan.inputs.bytes();
  if (found != plain) {
    how.shards = allotment->shards;
    how.part = pipeline::MillPart{.first_shard = wanted->first, .allowances = allotment->allowances};
    how.hash_tars = plan.recipe.codec == codec::Codec::none;
    if (auto staged = stage_shards(how, *wanted, repack::encoder_options(plan.recipe), workers, reporter))
      return *staged;
    // The estimate was wrong, or the samples are too unlike: begin again, without it.
    base::remove_tree(work);
    base::make_folders(work + "/spool");
    how.shards = 1;
    how.part.reset();
    how.hash_tars = false;
    how.fingerprint = plain;
    reporter.progress().input_bytes = 0;
  }
  return stage_plainly(how, workers, reporter);
}

}  // namespace shardmill::update
