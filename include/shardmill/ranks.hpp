// ranks: how much each rank of a training job gets from some shards, and a plan that gives all of them the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shardmill/observer.hpp"

namespace shardmill {

struct RanksOptions {
  std::vector<std::string> targets;  // the folder of one dataset, or shards
  std::size_t world_size = 1;        // ranks
  std::size_t workers = 1;           // loader processes of each rank
  std::string loader = "wenet";      // or "wenet-old", "webdataset", "nemo", "lhotse"
  std::uint64_t epochs = 20;         // shuffled epochs to look at; 0: the shards in their order
  std::uint64_t seed = 42;           // of these epochs
  std::string out_folder{};  // gets the lists of shards for each rank and worker; empty: none are written
  Limits limits{};
};

/// What one rank reads in an epoch.
struct RankShare {
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  double seconds = 0;     // of audio
  double idle_share = 0;  // of the epoch, waiting for the rank with most audio
};

struct RanksSummary {
  std::vector<RankShare> by_loader;  // as the loader itself splits the shards, in the worst of the epochs
  std::uint64_t unread_shards = 0;   // that no rank reads in that epoch
  std::vector<RankShare> by_plan;
  /// [rank][worker]: the paths of the shards, so that all ranks get the same.
  std::vector<std::vector<std::vector<std::string>>> plan;
};

/// Writes nothing but the lists. Throws UsageError for more ranks than shards and for an unknown loader, and
/// Error for shards that cannot be read.
RanksSummary run_ranks(const RanksOptions& options, Observer& observer);

}  // namespace shardmill
