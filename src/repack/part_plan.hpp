// PartPlan: a run that is done in parts, as it was planned: everything that each part must know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deal/parts.hpp"
#include "pipeline/mill.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

struct PartPlan {
  std::string version;                 // of shardmill
  std::vector<std::string> arguments;  // of the command that planned it, --parts left out
  std::string working_folder;          // in which it was given: relative paths begin there
  std::uint32_t parts = 1;
  std::uint32_t shards = 1;
  std::string fingerprint;  // of all that the result depends on
  std::string id;           // what journals of the parts know the run by; stays when policies are changed
};

/// For a new PartPlan: short, since the journal of each part has it and is read by all others.
std::string plan_id(const std::string& fingerprint, std::uint32_t parts);
/// Durable when it returns.
void write_part_plan(const std::string& out_folder, const PartPlan& plan);
/// nullopt when there is none. Throws Error when it is damaged.
std::optional<PartPlan> read_part_plan(const std::string& out_folder);
/// Throws Error, with advice, when a run in parts is planned in the folder.
void check_no_parts(const std::string& out_folder);
/// Before all that is unfinished in the folder goes: throws Error when a part is at work on it.
void check_no_part_at_work(const std::string& out_folder);

/// Of what one part leaves behind.
std::string part_fingerprint(const PartPlan& plan, std::uint32_t part);
std::string part_folder(const std::string& out_folder, std::uint32_t part);
/// Where it is written what the samples are for that all parts held back.
std::string held_shards_path(const std::string& out_folder);
/// How many samples of each shard the parts had to give back.
std::string given_back_path(const std::string& out_folder);

/// The share of one part in the whole.
struct PartShare {
  deal::ShardRange shards;
  pipeline::Inputs inputs;      // all streams, some perhaps without a file
  deal::Allowances allowances;  // none where one part has all: it deals as a run without parts does
};

/// Which part reads which files for which shards: by the files and the number of parts alone.
class Division {
 public:
  /// `whole` must outlive it.
  Division(const RepackPlan& whole, std::uint32_t parts);
  PartShare share(std::uint32_t part) const;

 private:
  const RepackPlan& whole_;
  std::vector<deal::ShardRange> ranges_;
  std::vector<std::vector<std::uint32_t>> part_of_;  // by dataset and file
};

}  // namespace shardmill::repack
