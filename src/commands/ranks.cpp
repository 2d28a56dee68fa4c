#include "commands/ranks.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "dataset/hold.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "deal/duration_bins.hpp"
#include "manifest/layout.hpp"
#include "ranks/durations.hpp"
#include "ranks/worlds.hpp"

namespace shardmill::commands {

namespace {

std::string folder_for(const ranks::RanksOptions& options, const ranks::RanksSummary& summary) {
  if (!options.out_folder.empty()) return options.out_folder;
  if (!summary.shards.is_dataset) return {};
  return options.targets.front() + "/" + std::string(manifest::kRankFolder);
}

/// Adds the lengths of the samples, from which batches are made.
void add_lengths(const ranks::RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                 ranks::RanksSummary& summary) {
  if (!options.batching) return;
  if (!summary.shards.is_dataset)
    throw UsageError("steps are counted from the manifests, which these shards do not have",
                     at(options.targets.front()), "shardmill repack writes them");
  reporter.phase("counting steps");
  summary.lengths =
      ranks::sample_lengths(options.targets.front(), summary.shards.shards.size(), workers, reporter);
}

void add_bins(const ranks::RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
              ranks::RanksSummary& summary) {
  if (options.buckets == 0) return;
  if (!summary.shards.is_dataset)
    throw UsageError("duration bins come from the manifests, which these shards do not have",
                     at(options.targets.front()), "shardmill repack writes them");
  const std::string& folder = options.targets.front();
  const std::size_t shards = summary.shards.shards.size();
  const auto check_count = [&](std::size_t samples) {
    if (options.buckets > samples)
      throw UsageError(
          fmt::format("{} buckets are more than there are samples: {}", options.buckets, samples),
          at(folder));
  };
  if (options.sub_buckets != 0) {
    auto lengths = ranks::sample_tokens(folder, shards, options.token_field, workers, reporter);
    check_count(lengths.size());
    summary.token_bins = deal::token_bins(std::move(lengths), options.buckets, options.sub_buckets);
    return;
  }
  const std::vector<double> seconds = options.batching
                                          ? ranks::seconds_of(summary.lengths)
                                          : ranks::sample_seconds(folder, shards, workers, reporter);
  check_count(seconds.size());
  summary.duration_bins = deal::duration_bins(seconds, options.buckets);
  summary.bucket_shares = deal::bucket_shares(seconds, summary.duration_bins);
}

/// Locks the dataset against changes, if there is one.
std::optional<dataset::DatasetHold> hold_dataset(const ranks::RanksOptions& options,
                                                 base::Reporter& reporter) {
  if (options.targets.size() != 1 || !ranks::is_dataset(options.targets.front())) return std::nullopt;
  const std::string& folder = options.targets.front();
  dataset::check_is_finished(folder);
  const bool writes_into_it = options.out_folder.empty() && !options.dry_run;
  return writes_into_it ? dataset::DatasetHold::to_write(folder, options.command, reporter)
                        : dataset::DatasetHold::to_read(folder);
}

void write_lists(const ranks::RanksOptions& options, const std::optional<dataset::DatasetHold>& hold,
                 ranks::RanksSummary& summary) {
  const std::string folder = folder_for(options, summary);
  if (folder.empty()) return;
  const dataset::RankFiles files = ranks::rank_files_of(summary);
  dataset::check_rank_folder(folder, files);
  if (hold) hold->check_same();
  if (options.dry_run) return;
  dataset::write_rank_files(folder, files);
  summary.out_folder = folder;
}

}  // namespace

ranks::RanksSummary foretell(const ranks::RanksOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  ranks::RanksSummary summary;
  summary.shards = ranks::find_rank_shards(options.targets, options.list_root, workers, reporter);
  summary.total = deal::sum(summary.shards.loads);
  ranks::check_world_sizes(options, summary.shards.loads.size());
  add_lengths(options, workers, reporter, summary);
  add_bins(options, workers, reporter, summary);
  if (options.batching) {
    summary.batching = options.batching;
    if (options.batching->by == deal::Batching::By::duration) summary.batching->bins = summary.duration_bins;
  }
  if (options.needed) {
    summary.supply = options.worker_speed
                         ? ranks::given_supply(summary.shards, *options.needed, *options.worker_speed)
                         : ranks::measured_supply(summary.shards, *options.needed, workers, reporter);
  }
  summary.worlds = ranks::world_reports(options, summary, workers, reporter);
  summary.even_world_sizes = ranks::even_world_sizes(summary.shards.loads.size(), options.workers);
  summary.multiple_of = ranks::common_multiple(options);
  return summary;
}

ranks::RanksSummary run_ranks(const ranks::RanksOptions& options, pipeline::Workers& workers,
                              base::Reporter& reporter) {
  const std::optional<dataset::DatasetHold> hold = hold_dataset(options, reporter);
  ranks::RanksSummary summary = foretell(options, workers, reporter);
  write_lists(options, hold, summary);
  return summary;
}

}  // namespace shardmill::commands
