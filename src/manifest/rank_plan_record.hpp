// RankPlanRecord: ranks/plan.json: what each rank gets by the lists beside it.
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
    double idle_share = 0;       // of the rank that waits longest
    std::string strided_list{};  // relative to plan.json; empty where there is none
    std::vector<Rank> ranks{};
  };

  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  double seconds = 0;
  std::uint64_t workers = 0;  // of each rank, that the order within the lists is for
  std::string list_root{};    // stands before shards/ in the lists; empty for shards of other origin
  std::vector<World> worlds{};
};

/// "world-8".
std::string world_folder(std::uint64_t world_size);
/// "world-8/rank-3.list".
std::string rank_list_name(std::uint64_t world_size, std::uint64_t rank);
/// "world-8/data.list": all shards, for loaders that split a list with a stride.
std::string strided_list_name(std::uint64_t world_size);

/// True for what the two above make.
bool is_rank_list_name(std::string_view name);

/// The whole file: indented JSON.
std::string to_json(const RankPlanRecord& record);
/// Throws Error, with the file, when it cannot be read or a field is missing or impossible.
RankPlanRecord read_rank_plan(const std::string& path);

}  // namespace shardmill::manifest
