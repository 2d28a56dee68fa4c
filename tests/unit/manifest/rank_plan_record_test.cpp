#include "shardmill/manifest/rank_plan_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "shardmill/base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

RankPlanRecord plan() {
  RankPlanRecord record{.shards = 3, .samples = 30, .seconds = 300.5, .workers = 2};
  record.worlds.push_back({.world_size = 1,
                           .idle_share = 0,
                           .strided_list = strided_list_name(1),
                           .ranks = {{rank_list_name(1, 0), 3, 30, 300.5, 3000}}});
  record.worlds.push_back(
      {.world_size = 2,
       .idle_share = 0.25,
       .ranks = {{rank_list_name(2, 0), 2, 20, 200, 2000}, {rank_list_name(2, 1), 1, 10, 100.5, 1000}}});
  return record;
}

TEST(RankPlanRecord, ReadsBackAndOthersReadIt) {
  const testing::TemporaryFolder folder;
  const std::string text = to_json(plan());
  EXPECT_EQ(to_json(read_rank_plan(folder.write("plan.json", text))), text);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["world_sizes"][1]["ranks"][1]["list"], "world-2/rank-1.list");
  EXPECT_EQ(json["world_sizes"][0]["strided_list"], "world-1/data.list");
}

TEST(RankPlanRecord, RefusesWhatCannotBe) {
  const testing::TemporaryFolder folder;
  const std::string good = to_json(plan());
  const std::pair<const char*, const char*> changes[] = {{"world-2/rank-1.list", "../rank-1.list"},
                                                         {"\"world_size\": 2", "\"world_size\": 3"},
                                                         {"\"format_version\": 1", "\"format_version\": 2"},
                                                         {"\"workers\"", "\"wrokers\""}};
  for (const auto& [from, to] : changes) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string_view(from).size(), to);
    EXPECT_THROW(read_rank_plan(folder.write("plan.json", bad)), Error) << to;
  }
}

}  // namespace
}  // namespace shardmill::manifest
