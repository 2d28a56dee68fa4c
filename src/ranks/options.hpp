// The options of ranks, and its results: the audio that each training rank gets from the shards, and lists
// that give every rank the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/duration_bins.hpp"
#include "deal/loader_rule.hpp"
#include "deal/rank_load.hpp"
#include "deal/rank_pace.hpp"
#include "deal/token_bins.hpp"
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

}  // namespace shardmill::ranks
