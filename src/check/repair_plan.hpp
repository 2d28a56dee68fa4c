// RepairPlan: says which missing or damaged files of a dataset can be made again, from what, and in which
// order.
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
  files,    // made from other files of the dataset, which say the same
  sources,  // packed again from the sources of the dataset
};

/// "parity", "files", "sources".
std::string_view name(RepairFrom from);

struct RepairStep {
  RepairFrom from{};
  std::vector<std::string> files;  // the files that it makes, relative to the dataset's folder
  std::string group;               // the name of its group, if it is made from parity

  auto operator<=>(const RepairStep&) const = default;
};

/// What a plan is made from.
struct RepairFacts {
  std::vector<std::string> shards;               // by number; empty when no record names them
  std::map<std::string, std::string> checksums;  // SHA-256 by name, as far as they are known
  bool knows_all_checksums = true;               // of the files that are there
  std::map<std::string, manifest::ParityGroup> groups;

  bool is_shard(const std::string& file) const;
};

/// Reads what can be read without the files that are `bad`. `known` are checksums that are known to be right,
/// whatever the files say. Throws NewerFormat.
RepairFacts repair_facts(const std::string& folder, const std::set<std::string>& bad,
                         const std::map<std::string, std::string>& known = {});

struct RepairPlan {
  std::vector<RepairStep> steps;              // each needs only files that are whole by then
  std::map<std::string, std::string> beyond;  // what cannot be made again, and why

  /// The step that makes `file`; nullptr if no step does.
  const RepairStep* step_for(const std::string& file) const;
};

/// `failed` are the steps that were tried in vain. Nobody knows whether sources can still be read before they
/// are read.
RepairPlan plan_repair(const RepairFacts& facts, std::set<std::string> bad,
                       const std::set<RepairStep>& failed = {});

/// Plans the repair of the files that `findings` call missing or damaged, of the dataset in `folder`.
std::map<std::string, Repairability> repairability(const std::string& folder,
                                                   const std::vector<Finding>& findings);

}  // namespace shardmill::check
