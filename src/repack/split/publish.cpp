#include "repack/split/publish.hpp"

#include <utility>

#include "base/io/folder.hpp"
#include "dataset/owned_files.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/split/folder.hpp"

namespace shardmill::repack {

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
    record.parts.push_back({.name = split.name,
                            .shards = summary.dataset.shards,
                            .samples = summary.dataset.samples,
                            .seconds = summary.dataset.seconds,
                            .groups = split.groups});
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

}  // namespace shardmill::repack
