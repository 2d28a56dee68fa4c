// PartPlan: the plan of a run in parts, with everything that each part must know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deal/parts.hpp"
#include "pipeline/mill.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

struct PartPlan {
  std::string version;               // of shardmill
  dataset::RecipeText recipe;        // with a settled number of shards
  std::vector<std::string> sources;  // [NAME=]SOURCE, with absolute paths
  bool allow_commands = false;
  std::uint64_t max_rejects = 0;
  std::string command;         // the command that planned it
  std::string working_folder;  // where relative paths begin that the sources name; empty: they name none
  std::uint32_t parts = 1;
  std::uint32_t shards = 1;
  std::string fingerprint;  // says everything that the result depends on
  std::string id;  // by which the journals of the parts know the run; it stays when policies are changed
};

/// An id for a new PartPlan. It is short, because the journal of each part has it and all other parts read
/// it.
std::string plan_id(const std::string& fingerprint, std::uint32_t parts);
/// A plan is a file, and holds the addresses of the sources. Throws UsageError if `address` is one with a
/// signature or a password.
void check_not_secret(const std::string& address);
/// The argument [NAME=]SOURCE with an absolute path, so that it means the same in every folder.
std::string absolute_source(const std::string& argument);
/// The options of the run; its folders are those of `place`. Throws Error when another version of shardmill
/// planned it.
RepackOptions options_of(const PartPlan& plan, const RepackOptions& place);
/// "shardmill repack --out DIR --part 3"; `part` may be "I".
std::string command_of_part(const RepackOptions& options, std::string_view part);
std::string command_of_finish(const RepackOptions& options);
/// The plan is durable on return.
void write_part_plan(const std::string& out_folder, const PartPlan& plan);
/// nullopt when no plan was written. Throws Error when it is damaged, or when an older version wrote it.
std::optional<PartPlan> read_part_plan(const std::string& out_folder);
/// Throws Error, with advice, when a run in parts is planned in the folder.
void check_no_parts(const std::string& out_folder);
/// Throws Error when a part is at work in the folder. Call it before unfinished work is removed.
void check_no_part_at_work(const std::string& out_folder);

/// The fingerprint of one part, and the folder in which it works.
std::string part_fingerprint(const PartPlan& plan, std::uint32_t part);
std::string part_folder(const std::string& out_folder, std::uint32_t part);
/// The file that says which shards the held samples of all parts go to.
std::string held_shards_path(const std::string& out_folder);
/// The file that says how many samples of each shard the parts had to give back.
std::string given_back_path(const std::string& out_folder);

/// The share of one part in the whole.
struct PartShare {
  deal::ShardRange shards;
  pipeline::Inputs inputs;      // all streams; some may have no file
  deal::Allowances allowances;  // none when there is only one part, which deals like a run without parts
};

/// Says which part reads which files for which shards. Only the files and the number of parts decide.
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
