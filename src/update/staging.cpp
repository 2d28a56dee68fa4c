#include "update/staging.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/mill.hpp"
#include "repack/user_lists.hpp"

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

/// One shard takes all samples, and is never the result itself.
pipeline::MillPlan mill_of_staging(const repack::RepackPlan& plan, const UpdateOptions& options,
                                   const std::string& work, const std::string& fingerprint,
                                   const Known& known) {
  pipeline::MillPlan how = repack::mill_plan(plan, plan.inputs, work, options.checkpoints);
  how.even = deal::Even::off;
  how.hash_tars = false;
  how.fingerprint = fingerprint;
  how.taken = known.keys;
  how.withheld = known.withheld;
  how.heard = known.sounds;
  return how;
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
  pipeline::MillPlan how = mill_of_staging(plan, options, work, fingerprint, known);
  how.claims = pipeline::claims_of(how.inputs, how.intake, how.seed, workers, reporter);
  reporter.progress().input_bytes_total = plan.inputs.bytes();
  pipeline::Mill mill(how, workers, reporter);
  mill.resume();
  mill.run();
  return {.tar = mill.spools().tar_path(0),
          .manifest = mill.spools().manifest_path(0),
          .reject_log = pipeline::reject_log_path(work),
          .counts = mill.counts()};
}

namespace {

/// Whether the table is still the one that it was.
bool is_as_it_was(const pipeline::TableFile& table, const source::TreeOptions& options) {
  std::vector<pipeline::TableFile> now{table};
  now.front().hash.reset();
  pipeline::read_tables(now, options);
  return !table.hash || now.front().hash == table.hash;
}

}  // namespace

std::vector<pipeline::TableFile> tables_for(const UpdateOptions& options,
                                            const std::vector<pipeline::TableFile>& of_dataset,
                                            const source::TreeOptions& tree, base::Reporter& reporter) {
  if (!options.tables.empty() || options.sources.empty()) return options.tables;
  std::vector<pipeline::TableFile> tables;
  for (const pipeline::TableFile& table : of_dataset) {
    if (!base::may_exist(table.path)) {
      reporter.warn(Error("the dataset was made with this table, which is not there any more", at(table.path),
                          "the samples that are added get nothing from it"));
    } else if (is_as_it_was(table, tree)) {
      tables.push_back(table);
    } else {
      throw Error("has changed since the dataset was made with it", at(table.path),
                  "give the new samples together with their table");
    }
  }
  return tables;
}

std::vector<repack::TableMatch> match_tables(const UpdateOptions& options, const repack::RepackPlan& plan,
                                             const Staged& staged) {
  if (options.tables.empty()) return {};
  repack::ListedSamples listed{.manifests = {staged.manifest},
                               .rejects = {staged.reject_log},
                               .are_all = repack::knows_all_keys(plan.recipe.intake, staged.counts)};
  if (!base::exists(staged.reject_log)) listed.rejects.clear();
  return repack::account_of_tables(plan.recipe.intake.tables, listed);
}

void add_tables(const std::vector<pipeline::TableFile>& used, std::vector<pipeline::TableFile>& all) {
  for (const pipeline::TableFile& table : used) {
    // The old table at this path is gone, and the new one covers old samples, too.
    const auto known = std::find_if(all.begin(), all.end(), [&](const pipeline::TableFile& old) {
      return old.dataset == table.dataset && (old.hash == table.hash || old.path == table.path);
    });
    if (known == all.end()) {
      all.push_back(table);
    } else if (known->path == table.path) {
      *known = table;
    }
  }
}

}  // namespace shardmill::update
