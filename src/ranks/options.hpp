// ranks: what each training rank will get of some shards, and lists that give every rank the same.
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
#include "pipeline/workers.hpp"
#include "ranks/shards.hpp"
#include "ranks/supply.hpp"

namespace shardmill::ranks {

struct RanksOptions {
  std::vector<std::string> targets;  // a dataset's folder, or shards of other origin
  std::vector<std::size_t> world_sizes;
  std::size_t workers = 1;  // of each rank
  std::vector<deal::Loader> loaders;
  std::uint64_t epochs = 0;  // shuffled; 0: the list as it stands
  std::uint64_t seed = 0;
  std::size_t buckets = 0;               // duration bins for so many buckets; 0: none
  std::optional<double> needed{};        // seconds of audio a second, by each rank's trainer
  std::optional<double> worker_speed{};  // the same, from each worker; none: measured
  std::string out_folder{};              // empty: ranks/ of a dataset, nothing for other shards
  std::string list_root{};               // empty: what data.list has
  bool dry_run = false;                  // write nothing
  std::string command{};                 // the command line, for whoever finds the folder locked
};

/// What one loader does with the shards: in the worst of the epochs.
struct LoaderReport {
  deal::Loader loader{};
  std::optional<std::uint64_t> epoch{};  // which that is; none: the list as it stands
  deal::SplitLoad load;
  std::vector<deal::RankPace> pace{};  // empty where no supply was asked for
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
  std::vector<std::size_t> even_world_sizes;  // all that the shards divide into, with these workers
  std::uint64_t multiple_of = 0;  // for --multiple-of: suits all the world sizes asked for; 0: nothing does
  std::vector<double> duration_bins{};  // empty where no buckets were asked for
  std::vector<deal::BucketShare> bucket_shares{};
  std::optional<LoaderSupply> supply{};
  std::string out_folder{};  // where lists were written; empty: nowhere
};

}  // namespace shardmill::ranks
