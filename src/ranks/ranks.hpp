// ranks: what each training rank will get from some shards, and lists that give every rank the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/rank_lists.hpp"
#include "deal/bins.hpp"
#include "deal/loader_rule.hpp"
#include "deal/rank_load.hpp"
#include "pipeline/workers.hpp"
#include "ranks/shards.hpp"
#include "ranks/steps.hpp"
#include "ranks/supply.hpp"

namespace shardmill::ranks {

struct RanksOptions {
  std::vector<std::string> targets;  // a dataset's folder, or shards that shardmill did not make
  std::vector<std::size_t> world_sizes;
  std::size_t workers = 1;  // loader workers of each rank
  std::vector<deal::Loader> loaders;
  std::uint64_t epochs = 0;  // the number of shuffled epochs to look at; 0: the list without a shuffle
  bool fewer_epochs_will_do = false;  // steps of many samples are counted in fewer epochs, to save time
  std::uint64_t seed = 0;
  std::size_t buckets = 0;      // the number of buckets to compute duration bins for; 0: none
  std::size_t sub_buckets = 0;  // the number of parts by tokens in each bucket; 0: none
  std::string token_field{};    // of the manifests, has the number of tokens; empty: count characters
  std::optional<deal::Batching> batching{};  // none: do not count batches
  std::optional<double> needed{};  // seconds of audio per second that the trainer of each rank takes
  /// Seconds of audio per second that each worker delivers; none: measure it.
  std::optional<double> worker_speed{};
  std::optional<RecordedSpeeds> recorded_speeds{};  // instead of it
  std::string out_folder{};  // empty: ranks/ of a dataset; nothing is written for other shards
  std::string list_root{};   // empty: the root in data.list
  bool dry_run = false;      // write nothing
  std::string command{};     // the command line, for the lock that other runs see
};

/// The result for one loader, in its worst epoch.
struct LoaderReport {
  deal::Loader loader{};
  std::optional<std::uint64_t> epoch{};  // that epoch; none: the list without a shuffle
  deal::SplitLoad load;
  std::vector<deal::RankPace> pace{};  // empty without RanksOptions::needed
  std::optional<StepsReport> steps{};  // if there is a batching, and the loader can make such batches
};

struct WorldReport {
  deal::Team team;
  std::vector<LoaderReport> loaders;
  deal::Split plan_split;  // of the lists that are written
  deal::SplitLoad plan;
  std::vector<deal::RankPace> plan_pace{};
};

struct RanksSummary {
  RankShards shards;
  deal::Load total;
  std::vector<WorldReport> worlds;
  /// All world sizes that divide the shards, with this number of workers.
  std::vector<std::size_t> even_world_sizes;
  std::uint64_t multiple_of =
      0;  // value for --multiple-of that suits all world sizes; 0 if it would be too large
  std::vector<double> duration_bins{};  // empty without buckets
  std::vector<deal::BucketShare> bucket_shares{};
  std::vector<deal::TokenBin> token_bins{};  // instead of these, with sub-buckets
  deal::ShardLengths lengths{};              // of all samples, with a batching
  std::optional<deal::Batching> batching{};
  std::optional<LoaderSupply> supply{};
  std::string out_folder{};  // the folder with the written lists; empty if none were written
};

/// The durations in the order of the shards. Reads several manifests at a time. Throws Error for one that
/// cannot be read.
std::vector<double> sample_seconds(const std::string& dataset_folder, std::size_t shards,
                                   pipeline::Workers& workers, base::Reporter& reporter);

/// The same with the number of tokens: the number in the field `token_field` of a manifest line, or the
/// length of the list in it; if `token_field` is empty, the number of characters of the text. Throws Error
/// for a line without them.
std::vector<deal::TokenLength> sample_tokens(const std::string& dataset_folder, std::size_t shards,
                                             const std::string& token_field, pipeline::Workers& workers,
                                             base::Reporter& reporter);

/// The summary of run_ranks(), without locking the dataset and without writing lists.
RanksSummary foretell(const RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

/// Throws UsageError if there are more ranks than shards, and whatever find_rank_shards() throws.
RanksSummary run_ranks(const RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

/// Throws UsageError if there are more ranks than shards.
void check_world_sizes(const RanksOptions& options, std::size_t shards);

/// One report for each world size. The shards of `summary` must be known, and the supply if it is asked for.
std::vector<WorldReport> world_reports(const RanksOptions& options, const RanksSummary& summary,
                                       pipeline::Workers& workers, base::Reporter& reporter);

/// The smallest number that every team divides; 0 when it is too large to be useful.
std::uint64_t common_multiple(const RanksOptions& options);

/// All world sizes by which the shards can be divided.
std::vector<std::size_t> even_world_sizes(std::size_t shards, std::size_t workers);

/// The lists for all world sizes as text, and plan.json. Throws Error for paths that a list cannot hold.
dataset::RankFiles rank_files_of(const RanksSummary& summary);

}  // namespace shardmill::ranks
