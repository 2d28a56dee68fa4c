#include "manifest/rank_plan_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

RankPlanRecord plan() {
  RankPlanRecord record{.shards = 3, .samples = 30, .seconds = 300.5, .workers = 2, .list_root = "/data/y"};
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

/// Replaces the hash by that of the changed text.
std::string sealed_again(std::string text) {
  constexpr std::size_t kDigits = 32;
  const std::size_t begin = text.size() - kDigits - std::string_view("\"\n}\n").size();
  text.replace(begin, kDigits, kDigits, '0');
  return text.replace(begin, kDigits, base::xxh3_128(base::as_bytes(text)).hex());
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
                                                         {"\"format_version\": 2", "\"format_version\": 3"},
                                                         {"\"workers\"", "\"wrokers\""}};
  for (const auto& [from, to] : changes) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string_view(from).size(), to);
    EXPECT_THROW(read_rank_plan(folder.write("plan.json", sealed_again(bad))), Error) << to;
  }
}

TEST(RankPlanRecord, AnyChangeIsFound) {
  const testing::TemporaryFolder folder;
  const std::string good = to_json(plan());
  EXPECT_EQ(sealed_again(good), good);
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_THROW(read_rank_plan(folder.write("plan.json", bad)), Error) << i;
  }
}

}  // namespace
}  // namespace shardmill::manifest
