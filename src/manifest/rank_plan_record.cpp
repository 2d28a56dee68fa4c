#include "manifest/rank_plan_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "manifest/fields.hpp"
#include "manifest/layout.hpp"
#include "manifest/seal.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::uint64_t kRankPlanVersion = 2;

std::string inner_path(const base::JsonValue& json) {
  const std::string path(json.text());
  check_inner_path(path);
  return path;
}

RankPlanRecord::World read_world(const base::JsonValue& json) {
  RankPlanRecord::World world;
  world.world_size = json["world_size"].unsigned_integer();
  world.idle_share = json["idle_share"].number();
  if (const auto list = json.find("strided_list")) world.strided_list = inner_path(*list);
  for (const auto& rank : json["ranks"].elements()) {
    world.ranks.push_back({.list = inner_path(rank["list"]),
                           .shards = rank["shards"].unsigned_integer(),
                           .samples = rank["samples"].unsigned_integer(),
                           .seconds = seconds_field(rank, "seconds"),
                           .bytes = rank["bytes"].unsigned_integer()});
  }
  if (world.ranks.size() != world.world_size)
    throw Error(fmt::format("has {} for world size {}", base::format_count(world.ranks.size(), "rank"),
                            world.world_size));
  return world;
}

RankPlanRecord read_plan_fields(const base::JsonValue& json) {
  if (const auto version = json["format_version"].unsigned_integer(); version != kRankPlanVersion) {
    throw Error(fmt::format("has format version {}, this program knows {}", version, kRankPlanVersion));
  }
  RankPlanRecord record;
  record.shards = json["shards"].unsigned_integer();
  record.samples = json["samples"].unsigned_integer();
  record.seconds = seconds_field(json, "seconds");
  record.workers = json["workers"].unsigned_integer();
  record.list_root = json["list_root"].text();
  for (const auto& world : json["world_sizes"].elements()) record.worlds.push_back(read_world(world));
  return record;
}

void write_world(base::JsonWriter& json, const RankPlanRecord::World& world) {
  json.begin_object().member("world_size", world.world_size).member("idle_share", world.idle_share);
  if (!world.strided_list.empty()) json.member("strided_list", world.strided_list);
  json.key("ranks").begin_array();
  for (const RankPlanRecord::Rank& rank : world.ranks) {
    json.begin_object().member("list", rank.list).member("shards", rank.shards);
    json.member("samples", rank.samples).member("seconds", rank.seconds);
    json.member("bytes", rank.bytes).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

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
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object().member("format_version", kRankPlanVersion);
  json.member("shards", record.shards).member("samples", record.samples);
  json.member("seconds", record.seconds).member("workers", record.workers);
  json.member("list_root", record.list_root);
  json.key("world_sizes").begin_array();
  for (const RankPlanRecord::World& world : record.worlds) write_world(json, world);
  json.end_array();
  end_sealed(json, out);
  return out;
}

RankPlanRecord read_rank_plan(const std::string& path) {
  return read_sealed(path, read_plan_fields);
}

}  // namespace shardmill::manifest
