// RankPlanRecord: ranks/plan.json: the shards that each rank gets from the lists next to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::manifest {

struct RankPlanRecord {
  struct Rank {
    std::string list;  // relative to plan.json
    std::uint64_t shards = 0;
    std::uint64_t samples = 0;
    double seconds = 0;
    std::uint64_t bytes = 0;
  };
  struct World {
    std::uint64_t world_size = 0;
    double idle_share = 0;       // for the rank that waits longest
    std::string strided_list{};  // relative to plan.json; empty: the plan has no such list
    std::vector<Rank> ranks{};
  };

  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  double seconds = 0;
  std::uint64_t workers = 0;  // loader workers of each rank; the order of the lists suits them
  /// The prefix of shards/ in the lists; empty for shards that shardmill did not make.
  std::string list_root{};
  std::vector<World> worlds{};
};

/// "world-8".
std::string world_folder(std::uint64_t world_size);
/// "world-8/rank-3.list".
std::string rank_list_name(std::uint64_t world_size, std::uint64_t rank);
/// "world-8/data.list": all shards, for loaders that split one list with a stride.
std::string strided_list_name(std::uint64_t world_size);

/// True for names that the two functions above make.
bool is_rank_list_name(std::string_view name);

/// The text of the whole file: indented JSON.
std::string to_json(const RankPlanRecord& record);
/// Throws Error, with the file, when it cannot be read or a field is missing or impossible.
RankPlanRecord read_rank_plan(const std::string& path);

}  // namespace shardmill::manifest
