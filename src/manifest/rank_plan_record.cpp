#include "manifest/rank_plan_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "manifest/json_fields.hpp"
#include "manifest/layout.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::uint64_t kRankPlanVersion = 2;

}  // namespace

template <base::Either<RankPlanRecord::Rank> Record>
void describe(auto& fields, Record& rank) {
  fields.inner_path("list", rank.list);
  fields("shards", rank.shards);
  fields("samples", rank.samples);
  fields.seconds("seconds", rank.seconds);
  fields("bytes", rank.bytes);
}

template <base::Either<RankPlanRecord::World> Record>
void describe(auto& fields, Record& world) {
  fields("world_size", world.world_size);
  fields("idle_share", world.idle_share);
  fields.if_any("strided_list", world.strided_list);
  fields("ranks", world.ranks);
}

template <base::Either<RankPlanRecord> Record>
void describe(auto& fields, Record& record) {
  fields.version("format_version", kRankPlanVersion);
  fields("shards", record.shards);
  fields("samples", record.samples);
  fields.seconds("seconds", record.seconds);
  fields("workers", record.workers);
  fields("list_root", record.list_root);
  fields("world_sizes", record.worlds);
}

std::string world_folder(std::uint64_t world_size) {
  return fmt::format("world-{}", world_size);
}

std::string rank_list_name(std::uint64_t world_size, std::uint64_t rank) {
  return fmt::format("{}/rank-{}.list", world_folder(world_size), rank);
}

std::string strided_list_name(std::uint64_t world_size) {
  return world_folder(world_size) + "/data.list";
}

bool is_rank_list_name(std::string_view name) {
  const auto take_digits = [&] {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    name.remove_prefix(digits);
    return digits > 0;
  };
  const auto take = [&](std::string_view text) {
    const bool is_there = name.starts_with(text);
    if (is_there) name.remove_prefix(text.size());
    return is_there;
  };
  if (!take("world-") || !take_digits() || !take("/")) return false;
  return name == "data.list" || (take("rank-") && take_digits() && name == ".list");
}

std::string to_json(const RankPlanRecord& record) {
  return sealed_document(record);
}

RankPlanRecord read_rank_plan(const std::string& path) {
  RankPlanRecord record = read_sealed<RankPlanRecord>(path);
  try {
    for (const RankPlanRecord::World& world : record.worlds) {
      if (!world.strided_list.empty()) check_inner_path(world.strided_list);
      if (world.ranks.size() != world.world_size)
        throw Error(fmt::format("has {} for world size {}", base::format_count(world.ranks.size(), "rank"),
                                world.world_size));
    }
  } catch (const Error& error) {
    throw error.within(at(path));
  }
  return record;
}

}  // namespace shardmill::manifest
