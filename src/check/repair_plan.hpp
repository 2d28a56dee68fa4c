// RepairPlan: which missing or damaged files of a dataset can be made again, from what, and in which order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/verification.hpp"
#include "manifest/parity_header.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

enum class RepairFrom {
  parity,   // computed from other files of its group
  files,    // it says nothing that other files of the dataset do not say
  sources,  // packed again from what the dataset was made of
};

/// "parity", "files", "sources".
std::string_view name(RepairFrom from);

struct RepairStep {
  RepairFrom from{};
  std::vector<std::string> files;  // that it makes, relative to the dataset's folder
  std::string group;               // with parity: the name of its group

  auto operator<=>(const RepairStep&) const = default;
};

/// What a plan goes by.
struct RepairFacts {
  std::vector<std::string> shards;               // by number; empty where no record tells them
  std::map<std::string, std::string> checksums;  // SHA-256 by name, as far as they are known
  bool knows_all_checksums = true;               // of what is there
  std::map<std::string, manifest::ParityGroup> groups;

  bool is_shard(const std::string& file) const;
  /// Of the shard with this number.
  static std::string manifest_of(std::size_t shard);
};

/// As far as they can be read without the files that are `bad`. Throws NewerFormat.
RepairFacts repair_facts(const std::string& folder, const std::set<std::string>& bad);

struct RepairPlan {
  std::vector<RepairStep> steps;              // each needs only what is whole then
  std::map<std::string, std::string> beyond;  // what cannot be made again, and why

  /// The step that makes `file`; nullptr where there is none.
  const RepairStep* step_for(const std::string& file) const;
};

/// `failed`: steps that were tried in vain. Whether sources can still be read, nobody knows before they are.
RepairPlan plan_repair(const RepairFacts& facts, std::set<std::string> bad,
                       const std::set<RepairStep>& failed = {});

/// For the files of the dataset in `folder` that `findings` call missing or damaged.
std::map<std::string, Repairability> repairability(const std::string& folder,
                                                   const std::vector<Finding>& findings);

}  // namespace shardmill::check
