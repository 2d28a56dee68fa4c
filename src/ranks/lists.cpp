#include "ranks/lists.hpp"

#include "deal/rank_plan.hpp"
#include "manifest/layout.hpp"
#include "manifest/rank_plan_record.hpp"

namespace shardmill::ranks {

namespace {

std::string list_text(const RankShards& shards, const deal::ShardNumbers& numbers) {
  std::string text;
  for (const std::size_t number : numbers) {
    const std::string& path = shards.shards[number].list_path;
    if (printable(path) != path) {
      throw Error("a list of paths cannot hold control characters", at(path), "rename the file or folder");
    }
    text += path + "\n";
  }
  return text;
}

/// All shards, ordered so that a stride gives each rank its list; empty where their number cannot be divided.
deal::ShardNumbers strided_order(const std::vector<deal::ShardNumbers>& rank_lists) {
  const std::size_t turns = rank_lists.front().size();
  deal::ShardNumbers order;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (const deal::ShardNumbers& list : rank_lists) {
      if (list.size() != turns) return {};
      order.push_back(list[turn]);
    }
  }
  return order;
}

manifest::RankPlanRecord::World add_world(const WorldReport& world, const RankShards& shards,
                                          dataset::RankFiles& texts) {
  const std::size_t size = world.team.world_size;
  manifest::RankPlanRecord::World record{.world_size = size, .idle_share = world.plan.worst_idle_share()};
  std::vector<deal::ShardNumbers> lists;
  for (std::size_t rank = 0; rank < size; ++rank) {
    const std::string name = manifest::rank_list_name(size, rank);
    lists.push_back(deal::rank_list(world.plan_split[rank]));
    texts[name] = list_text(shards, lists.back());
    const deal::Load& load = world.plan.ranks[rank].total;
    record.ranks.push_back({.list = name,
                            .shards = load.shards,
                            .samples = load.samples,
                            .seconds = load.seconds,
                            .bytes = load.bytes});
  }
  const std::string strided = manifest::strided_list_name(size);
  if (const deal::ShardNumbers order = strided_order(lists); !order.empty()) {
    texts[strided] = list_text(shards, order);
    record.strided_list = strided;
  }
  return record;
}

}  // namespace

dataset::RankFiles rank_files_of(const RanksSummary& summary) {
  manifest::RankPlanRecord record{.shards = summary.total.shards,
                                  .samples = summary.total.samples,
                                  .seconds = summary.total.seconds,
                                  .workers = summary.worlds.front().team.workers,
                                  .list_root = summary.shards.list_root};
  dataset::RankFiles texts;
  for (const WorldReport& world : summary.worlds)
    record.worlds.push_back(add_world(world, summary.shards, texts));
  texts[std::string(manifest::kRankPlan)] = to_json(record);
  return texts;
}

}  // namespace shardmill::ranks
