#include "shardmill/commands/rank_lists.hpp"

#include <fmt/format.h>

#include <map>

#include "shardmill/base/file.hpp"
#include "shardmill/base/folder.hpp"
#include "shardmill/deal/rank_plan.hpp"
#include "shardmill/manifest/layout.hpp"
#include "shardmill/manifest/path_lists.hpp"
#include "shardmill/manifest/rank_plan_record.hpp"

namespace shardmill::commands {

namespace {

void write_file(const std::string& path, std::string_view text) {
  base::AtomicFile file(path);
  file.write(text);
  file.commit();
}

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

/// All shards in the order that strides take apart into the lists of the ranks; empty where their number does
/// not divide.
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

manifest::RankPlanRecord::World write_world(const std::string& folder, const WorldReport& world,
                                            const RankShards& shards) {
  const std::size_t size = world.team.world_size;
  base::make_folders(folder + "/" + manifest::world_folder(size));
  manifest::RankPlanRecord::World record{.world_size = size, .idle_share = world.plan.worst_idle_share()};
  std::vector<deal::ShardNumbers> lists;
  for (std::size_t rank = 0; rank < size; ++rank) {
    const std::string name = manifest::rank_list_name(size, rank);
    lists.push_back(deal::rank_list(world.plan_split[rank]));
    write_file(folder + "/" + name, list_text(shards, lists.back()));
    const deal::Load& load = world.plan.ranks[rank].total;
    record.ranks.push_back({.list = name,
                            .shards = load.shards,
                            .samples = load.samples,
                            .seconds = load.seconds,
                            .bytes = load.bytes});
  }
  const std::string strided = manifest::strided_list_name(size);
  if (const deal::ShardNumbers order = strided_order(lists); !order.empty()) {
    write_file(folder + "/" + strided, list_text(shards, order));
    record.strided_list = strided;
  } else {
    base::remove_file(folder + "/" + strided);  // of an earlier plan
  }
  return record;
}

/// Counts the shards that lists name.
class ListCheck {
 public:
  ListCheck(const DatasetRecords& records, const std::string& root, FindingList& findings)
      : records_(records), findings_(findings) {
    for (const manifest::ShardRecord& shard : *records.shards)
      by_name_.emplace(manifest::listed_path(root, shard.path), 0);
  }

  void add(const std::string& inner) {
    const std::string path = records_.path(inner);
    for (const std::string& line : manifest::read_list(path)) {
      const auto found = by_name_.find(line);
      if (found == by_name_.end()) {
        findings_.add(at(path), fmt::format("names {}, which is no shard of the dataset", printable(line)));
      } else {
        ++found->second;
      }
    }
  }

  /// What was added should be all shards, each once.
  void settle(const std::string& inner) const {
    for (const auto& [shard, times] : by_name_) {
      if (times != 1) findings_.add(at(records_.path(inner)), fmt::format("names {} {} times", shard, times));
    }
  }

 private:
  const DatasetRecords& records_;
  FindingList& findings_;
  std::map<std::string, std::uint64_t> by_name_;
};

void check_plan(const DatasetRecords& records, FindingList& findings) {
  const std::string folder(manifest::kRankFolder);
  const std::string path = records.path(folder + "/" + std::string(manifest::kRankPlan));
  if (!base::exists(path)) {
    throw Error(
        fmt::format("has no plan.json: shardmill ranks was interrupted; 'shardmill ranks {} --world-size W' "
                    "makes it anew",
                    records.folder),
        at(records.path(folder)));
  }
  const manifest::RankPlanRecord plan = manifest::read_rank_plan(path);
  const std::string here = base::canonical(records.folder);
  if (!records.given_list_root() && plan.list_root != here && records.run && records.run->list_root == here) {
    findings.note(at(path), fmt::format("its lists name shards below {}; '{}' writes them anew",
                                        plan.list_root, records.relist_command()));
  }
  if (records.dataset && (plan.shards != records.dataset->shards || plan.samples != records.dataset->samples))
    findings.add(at(path), "was made for other shards: run shardmill ranks again");
  for (const manifest::RankPlanRecord::World& world : plan.worlds) {
    ListCheck all(records, plan.list_root, findings);
    for (const manifest::RankPlanRecord::Rank& rank : world.ranks) all.add(folder + "/" + rank.list);
    all.settle(folder + "/" + manifest::world_folder(world.world_size));
    if (world.strided_list.empty()) continue;
    ListCheck strided(records, plan.list_root, findings);
    strided.add(folder + "/" + world.strided_list);
    strided.settle(folder + "/" + world.strided_list);
  }
}

}  // namespace

void write_rank_lists(const std::string& folder, const RanksSummary& summary) {
  manifest::RankPlanRecord record{.shards = summary.total.shards,
                                  .samples = summary.total.samples,
                                  .seconds = summary.total.seconds,
                                  .workers = summary.worlds.front().team.workers,
                                  .list_root = summary.shards.list_root};
  for (const WorldReport& world : summary.worlds) {
    record.worlds.push_back(write_world(folder, world, summary.shards));
  }
  write_file(folder + "/" + std::string(manifest::kRankPlan), to_json(record));
}

void check_rank_lists(const DatasetRecords& records, FindingList& findings) {
  if (!records.shards || !base::exists(records.path(manifest::kRankFolder))) return;
  try {
    check_plan(records, findings);
  } catch (const Error& error) {
    findings.add(error);
  }
}

}  // namespace shardmill::commands
