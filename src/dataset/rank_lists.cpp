#include "dataset/rank_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"
#include "manifest/rank_plan_record.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

namespace {

void write_file(const std::string& path, std::string_view text) {
  base::AtomicFile file(path);
  file.write(text);
  file.commit();
}

/// The text of SHA256SUMS: the new files, and those files of earlier plans for other world sizes that still
/// exist. Files that it names may be replaced.
std::string checksums_with(const std::string& folder, const RankFiles& files) {
  std::map<std::string, std::string> sums;
  for (const std::string& name : rank_file_names(folder)) {
    const std::string path = folder + "/" + name;
    if (name != manifest::kChecksums && base::entry_at(path) == base::Entry::file)
      sums[name] = base::sha256_hex(base::as_bytes(base::read_text(path)));
  }
  for (const auto& [name, text] : files) sums[name] = base::sha256_hex(base::as_bytes(text));
  std::string lines;
  for (const auto& [name, sha256] : sums)
    append_line(lines, manifest::Checksum{.sha256 = sha256, .path = name});
  return lines;
}

/// Lists for strides from an earlier plan that the new plan does not have, because the shards cannot be
/// divided so any more.
std::vector<std::string> strided_lists_gone(const std::string& folder, const RankFiles& files) {
  const FileNames owned = rank_file_names(folder);
  std::vector<std::string> gone;
  for (const auto& [name, text] : files) {
    const std::string strided = (fs::path(name).parent_path() / manifest::kShardList).string();
    if (!files.contains(strided) && owned.contains(strided)) gone.push_back(strided);
  }
  return gone;
}

/// Counts how often lists name each shard.
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
        findings_.add(at(path),
                      fmt::format("names {}, which is not a shard of the dataset", printable(line)));
      } else {
        ++found->second;
      }
    }
  }

  /// Checks that the lists added so far name all shards, each once.
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

/// All files of the plan, relative to ranks/.
std::vector<std::string> names_in(const manifest::RankPlanRecord& plan) {
  std::vector<std::string> names{std::string(manifest::kRankPlan)};
  for (const manifest::RankPlanRecord::World& world : plan.worlds) {
    for (const manifest::RankPlanRecord::Rank& rank : world.ranks) names.push_back(rank.list);
    if (!world.strided_list.empty()) names.push_back(world.strided_list);
  }
  return names;
}

/// Checks that the lists have not changed since they were written.
void check_sums(const DatasetRecords& records, FindingList& findings) {
  const std::string folder = records.path(manifest::kRankFolder);
  const std::string plan = folder + "/" + std::string(manifest::kRankPlan);
  const std::string sums = folder + "/" + std::string(manifest::kChecksums);
  if (!base::exists(plan)) return;  // has been reported
  if (!base::exists(sums)) {
    findings.note(at(sums),
                  "is not there, so that changed lists may not be noticed: run shardmill ranks again");
    return;
  }
  for (const manifest::Checksum& checksum : manifest::read_checksums(sums)) {
    const std::string path = folder + "/" + checksum.path;
    if (!base::exists(path)) {
      findings.add(at(path), "is missing: run shardmill ranks again");
    } else if (!holds_just(path, checksum.sha256)) {
      findings.add(at(path),
                   "does not have the SHA-256 that ranks/SHA256SUMS names: run shardmill ranks again");
    }
  }
}

/// Reports lists that SHA256SUMS does not name, because changes of them would not be noticed.
void check_all_have_sums(const DatasetRecords& records, FindingList& findings) {
  const std::string folder = records.path(manifest::kRankFolder);
  const std::string sums = folder + "/" + std::string(manifest::kChecksums);
  if (!base::exists(sums)) return;  // has been reported
  std::set<std::string> named;
  for (const manifest::Checksum& checksum : manifest::read_checksums(sums)) named.insert(checksum.path);
  for (const std::string& name :
       names_in(manifest::read_rank_plan(folder + "/" + std::string(manifest::kRankPlan)))) {
    if (!named.contains(name))
      findings.add(at(sums), fmt::format("does not name {}: run shardmill ranks again", name));
  }
}

void check_plan(const DatasetRecords& records, FindingList& findings) {
  const std::string folder(manifest::kRankFolder);
  const std::string path = records.path(folder + "/" + std::string(manifest::kRankPlan));
  if (!base::exists(path)) {
    throw Error(
        fmt::format("has no plan.json: shardmill ranks was interrupted; 'shardmill ranks {} --world-size W' "
                    "makes it again",
                    base::shell_quoted(records.folder)),
        at(records.path(folder)));
  }
  const manifest::RankPlanRecord plan = manifest::read_rank_plan(path);
  const std::string here = base::canonical(records.folder);
  if (!records.given_list_root() && plan.list_root != here && records.run && records.run->list_root == here) {
    findings.note(at(path), fmt::format("its lists name shards below {}; {}", plan.list_root,
                                        records.how_to_relist(here)));
  }
  if (const auto given = records.given_list_root(); given && plan.list_root != *given) {
    findings.note(at(path), fmt::format("its lists name shards below {}, and data.list below {}; {}",
                                        plan.list_root, *given, records.how_to_relist(*given)));
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

/// Whether there is anything that shardmill ranks writes, in part or as a whole. A user may have files of the
/// same folder, and an update leaves them where it removes the lists.
bool holds_rank_lists(const std::string& folder) {
  if (!base::is_folder(folder)) return true;  // which is reported
  for (const fs::path& entry : base::entries(folder)) {
    const std::string name = entry.filename().string();
    if (name == manifest::kRankPlan || name == manifest::kChecksums || name.starts_with("world-"))
      return true;
  }
  return false;
}

/// Checks lists of earlier plans, for world sizes that the last plan does not have.
void check_lists_left(const DatasetRecords& records, FindingList& findings) {
  const std::string folder = records.path(manifest::kRankFolder);
  const std::string sums = folder + "/" + std::string(manifest::kChecksums);
  if (!base::exists(sums)) return;
  const manifest::RankPlanRecord plan =
      manifest::read_rank_plan(folder + "/" + std::string(manifest::kRankPlan));
  const ShardPaths shards(*records.shards);
  std::set<std::string> planned;
  for (const manifest::RankPlanRecord::World& world : plan.worlds)
    planned.insert(manifest::world_folder(world.world_size));
  for (const manifest::Checksum& checksum : manifest::read_checksums(sums)) {
    const std::string path = folder + "/" + checksum.path;
    if (!manifest::is_rank_list_name(checksum.path) || !base::exists(path)) continue;
    if (planned.contains(fs::path(checksum.path).parent_path().string())) continue;
    if (!holds_just(path, checksum.sha256)) continue;  // check_sums() reports it
    for (const std::string& line : manifest::read_list(path)) {
      const auto shard = shards.named_by(line);
      if (!shard) {
        findings.add(at(path), fmt::format("names {}, which is not a shard of the dataset", printable(line)));
      } else if (line != manifest::listed_path(plan.list_root, *shard)) {
        findings.note(at(path),
                      fmt::format("names {}, and the other lists of ranks/ name what lies below {}; {}",
                                  printable(line), plan.list_root,
                                  records.how_to_relist(base::canonical(records.folder))));
        break;
      }
    }
  }
}

}  // namespace

ShardPaths::ShardPaths(const std::vector<manifest::ShardRecord>& shards) {
  for (const manifest::ShardRecord& shard : shards) paths_.insert(shard.path);
}

std::optional<std::string> ShardPaths::named_by(std::string_view line) const {
  for (std::size_t slash = line.find('/'); slash != std::string_view::npos;
       slash = line.find('/', slash + 1)) {
    const auto found = paths_.find(line.substr(slash + 1));
    if (found != paths_.end()) return *found;
  }
  return std::nullopt;
}

void check_rank_folder(const std::string& folder, const RankFiles& files) {
  check_output_is_ours(folder, OutputKind::rank_lists);
  FileNames owned = rank_file_names(folder);
  std::vector<std::string> names{std::string(manifest::kChecksums)};
  for (const auto& [name, text] : files) {
    names.push_back(name);
    if (holds_just(folder + "/" + name, base::sha256_hex(base::as_bytes(text)))) owned.insert(name);
  }
  check_not_taken(folder, names, owned);
}

void write_rank_files(const std::string& folder, const RankFiles& files) {
  const std::string sums = folder + "/" + std::string(manifest::kChecksums);
  base::make_folders(folder);
  write_file(sums, checksums_with(folder, files));
  for (const auto& [name, text] : files) {
    if (name == manifest::kRankPlan) continue;
    base::make_folders(fs::path(folder + "/" + name).parent_path());
    write_file(folder + "/" + name, text);
  }
  const std::vector<std::string> gone = strided_lists_gone(folder, files);
  for (const std::string& name : gone) base::remove_file(folder + "/" + name);
  if (!gone.empty()) write_file(sums, checksums_with(folder, files));
  // This is the last file, because it says that all lists exist.
  write_file(folder + "/" + std::string(manifest::kRankPlan), files.at(std::string(manifest::kRankPlan)));
}

void write_rank_checksums(const std::string& folder) {
  write_file(folder + "/" + std::string(manifest::kChecksums), checksums_with(folder, {}));
}

void check_rank_lists(const DatasetRecords& records, FindingList& findings) {
  const std::string folder = records.path(manifest::kRankFolder);
  if (!records.shards || !base::exists(folder) || !holds_rank_lists(folder)) return;
  bool is_readable = true;
  for (const auto check : {check_plan, check_sums, check_all_have_sums, check_lists_left}) {
    if (!is_readable && check != check_sums) continue;
    try {
      check(records, findings);
    } catch (const Error& error) {
      findings.add(error);
      is_readable = false;
    }
  }
}

}  // namespace shardmill::dataset
