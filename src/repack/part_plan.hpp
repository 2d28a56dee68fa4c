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
  std::string version;               // of shardmill
  dataset::RecipeText recipe;        // with the number of shards settled
  std::vector<std::string> sources;  // [NAME=]SOURCE, by absolute paths
  bool allow_commands = false;
  std::uint64_t max_rejects = 0;
  std::string command;         // that planned it
  std::string working_folder;  // where the sources name files by relative paths: they begin there; else empty
  std::uint32_t parts = 1;
  std::uint32_t shards = 1;
  std::string fingerprint;  // of all that the result depends on
  std::string id;           // what journals of the parts know the run by; stays when policies are changed
};

/// For a new PartPlan: short, since the journal of each part has it and is read by all others.
std::string plan_id(const std::string& fingerprint, std::uint32_t parts);
/// The argument [NAME=]SOURCE with an absolute path, so that it means the same in every folder.
std::string absolute_source(const std::string& argument);
/// What the run was asked for. Throws Error when another version of shardmill planned it.
RepackOptions options_of(const PartPlan& plan, const std::string& out_folder);
/// Durable when it returns.
void write_part_plan(const std::string& out_folder, const PartPlan& plan);
/// nullopt when there is none. Throws Error when it is damaged, or older than this form of it.
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
