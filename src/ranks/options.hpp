// ranks: what each training rank will get from some shards, and lists that give every rank the same.
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
  std::uint64_t epochs = 0;           // how many shuffled epochs to look at; 0: the list as it stands
  bool fewer_epochs_will_do = false;  // steps of many samples are counted in fewer epochs, to save time
  std::uint64_t seed = 0;
  std::size_t buckets = 0;      // duration bins for so many buckets; 0: none
  std::size_t sub_buckets = 0;  // each of them divided by tokens into so many; 0: not
  std::string token_field{};    // of the manifests, says how many tokens a sample has; empty: its characters
  std::optional<deal::Batching> batching{};  // none: batches are not looked at
  std::optional<double> needed{};  // seconds of audio per second that the trainer of each rank takes
  /// Seconds of audio per second that each worker delivers; none: measured.
  std::optional<double> worker_speed{};
  std::string out_folder{};  // empty: ranks/ of a dataset; nothing is written for other shards
  std::string list_root{};   // empty: the root in data.list
  bool dry_run = false;      // write nothing
  std::string command{};     // the command line, shown to others who find the folder locked
};

/// What one loader does with the shards, in its worst epoch.
struct LoaderReport {
  deal::Loader loader{};
  std::optional<std::uint64_t> epoch{};  // that epoch; none: the list as it stands
  deal::SplitLoad load;
  std::vector<deal::RankPace> pace{};  // empty unless the supply was asked for
  std::optional<StepsReport> steps{};  // where batches were asked for that the loader can make
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
  /// All that the shards can be divided by, with this number of workers.
  std::vector<std::size_t> even_world_sizes;
  std::uint64_t multiple_of = 0;  // value for --multiple-of that suits all world sizes; 0: there is none
  std::vector<double> duration_bins{};  // empty where no buckets were asked for
  std::vector<deal::BucketShare> bucket_shares{};
  std::vector<deal::TokenBin> token_bins{};  // instead of these, where sub-buckets were asked for
  deal::ShardLengths lengths{};              // of all samples, where batches were asked for
  std::optional<deal::Batching> batching{};
  std::optional<LoaderSupply> supply{};
  std::string out_folder{};  // where lists were written; empty: nowhere
};

}  // namespace shardmill::ranks
