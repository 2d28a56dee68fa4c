#include "repair/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/io/writer_lock.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/units.hpp"
#include "check/dataset_check.hpp"
#include "check/separate_splits.hpp"
#include "dataset/form_files.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/publish.hpp"
#include "dataset/records.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "repack/finished.hpp"
#include "repack/home.hpp"
#include "repack/split_home.hpp"
#include "repair/inventory.hpp"

namespace shardmill::repair {

namespace {

using check::RepairFrom;
using check::RepairStep;
using Files = std::vector<manifest::Checksum>;

constexpr std::string_view kOtherBytes = "the file that was made again does not have the recorded checksum";

bool has(const RepairSummary& summary, std::string_view name) {
  return std::ranges::any_of(summary.repaired, [&](const auto& file) { return file.name == name; });
}

class Repair {
 public:
  Repair(const RepairOptions& options, Inventory inventory, pipeline::Workers& workers,
         base::Reporter& reporter)
      : options_(options), inventory_(std::move(inventory)), workers_(workers), reporter_(reporter) {}

  RepairSummary run() {
    summary_.files = inventory_.files;
    summary_.bytes = inventory_.bytes;
    if (options_.dry_run) {
      tell_plan();
    } else {
      make_all();
    }
    for (auto& [file, why] : summary_.beyond) {
      if (const auto problem = problems_.find(file); problem != problems_.end()) why = problem->second;
    }
    tell_strays();
    return std::move(summary_);
  }

 private:
  void make_all() {
    for (;;) {
      find_facts();
      const check::RepairPlan plan = check::plan_repair(facts_, inventory_.bad, failed_);
      if (plan.steps.empty()) {
        if (find_what_shows_now()) continue;
        summary_.beyond = plan.beyond;
        break;
      }
      reporter_.check_stop();
      take(plan.steps.front());
    }
  }

  /// As verify does, unless this repair makes the records that name them.
  void tell_strays() {
    FindingList findings;  // found by others
    for (const auto& [name, what] : check::find_strays(dataset::read_records(options_.folder, findings))) {
      if (!inventory_.wanted.contains(name) && !has(summary_, name)) summary_.beyond[name] = what;
    }
  }

  /// Only SHA256SUMS and data.list show that some files are missing or wrong: looks once more, now that they
  /// may be whole again. True if there is more to do.
  bool find_what_shows_now() {
    if (looked_again_ || summary_.repaired.empty()) return false;
    looked_again_ = true;
    const std::size_t before = inventory_.bad.size();
    inventory_.bad.merge(bad_unsummed_files(options_.folder, reporter_));
    return inventory_.bad.size() > before;
  }

  void find_facts() {
    facts_ = check::repair_facts(options_.folder, inventory_.bad, inventory_.wanted);
    facts_.knows_all_checksums = inventory_.knows_all_checksums;
  }

  /// What run() would do, as far as that shows without reading the sources.
  void tell_plan() {
    find_facts();
    for (;;) {
      const check::RepairPlan plan = check::plan_repair(facts_, inventory_.bad, failed_);
      if (plan.steps.empty()) {
        summary_.beyond = plan.beyond;
        break;
      }
      tell(plan.steps.front());
      learn_groups();
    }
  }

  void tell(const RepairStep& step) {
    std::map<std::string, std::string> unpackable;
    try {
      if (step.from == RepairFrom::sources)
        unpackable =
            find_unpackable(step.files, options_.folder, options_.allow_commands, workers_, reporter_);
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      for (const std::string& file : step.files) unpackable[file] = error.what();
    }
    if (!unpackable.empty()) failed_.insert(step);
    for (const std::string& file : step.files) {
      if (unpackable.contains(file)) continue;
      inventory_.bad.erase(file);
      summary_.repaired.push_back({.name = file, .from = step.from});
    }
    problems_.merge(unpackable);
  }

  /// Groups whose parity can be computed as soon as all of their files are whole.
  void learn_groups() {
    check::RepairFacts later = check::repair_facts(options_.folder, inventory_.bad, inventory_.wanted);
    facts_.groups.merge(later.groups);
    if (facts_.shards.empty()) facts_.shards = std::move(later.shards);
  }

  void take(const RepairStep& step) {
    reporter_.phase(step.from == RepairFrom::sources ? "reading the sources" : "repairing");
    dataset::StagedFiles stage(options_.folder);
    std::string problem(kOtherBytes);
    Files made;
    try {
      made = make(step, stage.path());
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      problem = error.what();
    }
    std::erase_if(made, [&](const manifest::Checksum& file) { return !is_as_recorded(step, file); });
    if (made.size() < step.files.size()) failed_.insert(step);
    for (const std::string& file : step.files) problems_[file] = problem;
    if (made.empty()) return;
    for (const manifest::Checksum& file : made) {
      inventory_.bad.erase(file.path);
      problems_.erase(file.path);
      if (!has_no_checksum(file.path)) inventory_.wanted[file.path] = file.sha256;
    }
    // A file without a recorded checksum is made again to compare it.
    std::erase_if(made, [&](const manifest::Checksum& file) { return is_there(file); });
    const dataset::FileNames owned(step.files.begin(), step.files.end());
    stage.publish(made, owned);
    for (const manifest::Checksum& file : made)
      summary_.repaired.push_back({.name = file.path, .from = step.from});
  }

  bool is_there(const manifest::Checksum& file) const {
    return !file.sha256.empty() && dataset::holds_just(options_.folder + "/" + file.path, file.sha256);
  }

  /// True for a file that the step should make, with the right bytes. If its checksum is lost, a file is
  /// right that was made from files that are known to be whole; data.list and SHA256SUMS have no checksum.
  bool is_as_recorded(const RepairStep& step, const manifest::Checksum& file) const {
    if (std::find(step.files.begin(), step.files.end(), file.path) == step.files.end()) return false;
    const auto wanted = inventory_.wanted.find(file.path);
    if (wanted != inventory_.wanted.end()) return wanted->second == file.sha256;
    if (has_no_checksum(file.path) || manifest::is_parity_file_name(file.path)) return true;
    return step.from == RepairFrom::files && inventory_.knows_all_checksums;
  }

  static bool has_no_checksum(const std::string& name) {
    return name == manifest::kShardList || name == manifest::kChecksums || dataset::depends_on_place(name);
  }

  Files make(const RepairStep& step, const std::string& stage) {
    switch (step.from) {
      case RepairFrom::parity:
        return from_parity(step, stage);
      case RepairFrom::sources:
        return pack_from_sources(step.files, options_.folder, stage, options_.allow_commands, workers_,
                                 reporter_);
      case RepairFrom::files:
        break;
    }
    if (step.files.front() == manifest::kChecksums) return checksums(stage);
    return make_derived(step.files.front(), facts_, options_.folder, stage, workers_, reporter_);
  }

  Files from_parity(const RepairStep& step, const std::string& stage) {
    const manifest::ParityGroup& group = facts_.groups.at(step.group);
    dataset::PiecePlaces whole;
    std::vector<std::uint32_t> wanted;
    const auto files = static_cast<std::uint32_t>(group.files.size());
    for (std::uint32_t piece = 0; piece < files + group.parity_files; ++piece) {
      const std::string name =
          piece < files ? group.files[piece].path : manifest::parity_file_name(group.name, piece - files);
      if (std::find(step.files.begin(), step.files.end(), name) != step.files.end()) {
        wanted.push_back(piece);
      } else {
        whole.emplace(piece, options_.folder + "/" + name);
      }
    }
    return dataset::compute_pieces(group, whole, wanted, stage, workers_, reporter_);
  }

  Files checksums(const std::string& stage) {
    // Parity files that were made again bring their own.
    std::string text;
    for (const auto& [name, sha256] : inventory_.wanted)
      append_line(text, manifest::Checksum{.sha256 = sha256, .path = name});
    base::AtomicFile file(base::inside(stage, manifest::kChecksums));
    file.write(std::string_view(text));
    file.commit();
    return {{.sha256 = {}, .path = std::string(manifest::kChecksums)}};
  }

  const RepairOptions& options_;
  Inventory inventory_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  check::RepairFacts facts_;
  std::set<RepairStep> failed_;
  std::map<std::string, std::string> problems_;  // why the last step for a file was in vain
  RepairSummary summary_;
  bool looked_again_ = false;
};

/// Call this with the lock of the folder, unless `dry_run`.
RepairSummary repair_dataset(const RepairOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  RepairSummary all;
  std::set<std::string> repaired;
  for (;;) {
    RepairSummary some =
        Repair(options, take_inventory(options.folder, workers, reporter), workers, reporter).run();
    // Without checksums, derived files are made again each time.
    std::erase_if(some.repaired, [&](const auto& file) { return !repaired.insert(file.name).second; });
    all.repaired.insert(all.repaired.end(), some.repaired.begin(), some.repaired.end());
    all.beyond = std::move(some.beyond);
    all.files = std::max(all.files, some.files);
    all.bytes = std::max(all.bytes, some.bytes);
    // Now that more is whole, more may be known: new checksums are compared with the records once more.
    const bool is_settled = all.beyond.empty() && !has(some, manifest::kChecksums);
    if (is_settled || some.repaired.empty() || options.dry_run) break;
  }
  if (!options.dry_run && !all.repaired.empty()) {
    FindingList findings;  // found by others
    dataset::refresh_form_files(dataset::read_records(options.folder, findings));
  }
  return all;
}

void check_is_dataset(const std::string& folder, bool is_dry_run) {
  const auto holds = [&](std::string_view name) { return base::exists(base::inside(folder, name)); };
  const dataset::Unfinished unfinished = dataset::unfinished_in(folder);
  const bool is_first_run =
      unfinished == dataset::Unfinished::run || unfinished == dataset::Unfinished::parts;
  if (is_first_run && !holds(manifest::kDataset)) throw dataset::unfinished_error(folder);
  if (unfinished == dataset::Unfinished::publishing && is_dry_run)
    throw Error(
        "a command was interrupted while it gave the new files their names, so they "
        "cannot be checked yet",
        at(folder), "shardmill repair completes that first");
  const bool is_dataset =
      unfinished == dataset::Unfinished::publishing || holds(manifest::kDataset) || holds(manifest::kRun);
  if (const auto splits = manifest::split_names(folder); !is_dataset && !splits.empty()) {
    std::string folders;
    for (const std::string& name : splits)
      folders += (folders.empty() ? "" : ", ") + base::inside(folder, name);
    throw Error("holds the datasets of a split", at(folder), "name one of them: " + folders);
  }
  if (!is_dataset)
    throw Error("is not a dataset of shardmill: it has neither dataset.json nor run.json", at(folder));
}

/// Completes what an interrupted command left. Until its end, it only read the dataset, and may have stopped
/// because something is damaged.
void settle(const std::string& folder, const RepairOptions& options, base::Reporter& reporter) {
  repack::RunOptions how;
  how.command = options.command;
  const auto split_lock = repack::lock_split(check::split_root_of(folder), how, reporter);
  const base::WriterLock lock = repack::lock_folder(repack::work_folder_of(folder), how, reporter);
  repack::settle_folder(folder, reporter);
}

/// The date of dataset.json shows make whether too many samples were left out.
void date_again(const RepairSummary& summary, const std::string& folder) {
  const bool is_new = has(summary, manifest::kDataset);
  const auto path = [&](std::string_view name) { return base::inside(folder, name); };
  const auto is_lost = [&](std::string_view name) { return summary.beyond.contains(std::string(name)); };
  if (!is_new || is_lost(manifest::kRun) || is_lost(manifest::kRejects)) return;
  const auto run = manifest::read_run_record(path(manifest::kRun));
  const auto dataset = manifest::read_dataset_record(path(manifest::kDataset));
  const repack::Losses losses = repack::losses_of_last_run(dataset, path(manifest::kRejects));
  repack::date_for_make(path(manifest::kDataset), !repack::is_within(losses, run.max_rejects));
}

}  // namespace

RepairSummary run_repair(const RepairOptions& given, pipeline::Workers& workers, base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  RepairOptions options = given;
  options.folder = base::without_end_slashes(std::move(options.folder));
  check_is_dataset(options.folder, options.dry_run);
  const dataset::Unfinished unfinished = dataset::unfinished_in(options.folder);
  if (!options.dry_run &&
      (unfinished == dataset::Unfinished::publishing || unfinished == dataset::Unfinished::run))
    settle(options.folder, options, reporter);
  std::optional<dataset::DatasetHold> hold;
  if (!options.dry_run) hold = dataset::DatasetHold::to_write(options.folder, options.command, reporter);
  RepairSummary summary = repair_dataset(options, workers, reporter);
  if (!options.dry_run) date_again(summary, options.folder);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

namespace {

using Files = std::vector<manifest::Checksum>;

Files join_manifests(const check::RepairFacts& facts, const std::string& folder, const std::string& stage,
                     pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<std::string> manifests;
  for (std::size_t i = 0; i < facts.shards.size(); ++i)
    manifests.push_back(base::inside(folder, manifest::manifest_path(i)));
  base::AtomicFile all(base::inside(stage, manifest::kAllSamples));
  auto joined = dataset::join_files(manifests, all, workers, reporter);
  all.commit();
  return {{.sha256 = joined.sha256_of_all, .path = std::string(manifest::kAllSamples)}};
}

/// The lines of one shard.
Files cut_manifest(const std::string& file, const check::RepairFacts& facts, const std::string& folder,
                   const std::string& stage, base::Reporter& reporter) {
  dataset::SummedFile out(stage, file);
  base::LineReader lines(base::inside(folder, manifest::kAllSamples));
  base::JsonParser parser;
  for (std::string_view line; lines.next(line);) {
    if (lines.line_number() % 1000 == 0) reporter.check_stop();
    const std::uint64_t shard = parser.parse(line)["shard_id"].unsigned_integer();
    if (shard >= facts.shards.size() || manifest::manifest_path(shard) != file) continue;
    out.write(line);
    out.write("\n");
  }
  return {out.commit()};
}

Files list_shards(const std::string& folder, const std::string& stage) {
  FindingList findings;
  const dataset::DatasetRecords records = dataset::read_records(folder, findings);
  if (!records.shards) dataset::throw_first(findings);
  const std::string root = records.list_root();
  std::string text;
  for (const manifest::ShardRecord& shard : *records.shards)
    manifest::append_list_line(text, root, shard.path);
  dataset::SummedFile out(stage, std::string(manifest::kShardList));
  out.write(text);
  return {out.commit()};
}

Files write_index(const std::string& file, const check::RepairFacts& facts, const std::string& folder,
                  const std::string& stage, pipeline::Workers& workers, base::Reporter& reporter) {
  FindingList findings;  // found by others
  const dataset::DatasetRecords records = dataset::read_records(folder, findings);
  const std::string root = records.list_root();
  const auto sha256_of = [&](const std::string& shard) {
    const auto found = facts.checksums.find(shard);
    return found == facts.checksums.end() ? std::string() : found->second;
  };
  std::vector<dataset::ShardToIndex> shards;
  for (std::size_t i = 0; i < facts.shards.size(); ++i) {
    shards.push_back({.path = base::inside(folder, facts.shards[i]),
                      .name = facts.shards[i],
                      .manifest = base::inside(folder, manifest::manifest_path(i)),
                      .listed = manifest::listed_path(root, facts.shards[i]),
                      .sha256 = sha256_of(facts.shards[i])});
  }
  const dataset::Forms present = dataset::forms_of(records);
  const dataset::Forms forms = dataset::with_companions({dataset::form_of(file, present)}, present);
  return dataset::write_form_files(forms, shards, stage, workers, reporter).files;
}

}  // namespace

std::vector<manifest::Checksum> make_derived(const std::string& file, const check::RepairFacts& facts,
                                             const std::string& folder, const std::string& stage,
                                             pipeline::Workers& workers, base::Reporter& reporter) {
  if (file == manifest::kAllSamples) return join_manifests(facts, folder, stage, workers, reporter);
  if (file == manifest::kShardList) return list_shards(folder, stage);
  if (file == manifest::kRejects) return {dataset::SummedFile(stage, file).commit()};
  if (dataset::form_of(file) != nullptr) return write_index(file, facts, folder, stage, workers, reporter);
  if (file.starts_with(std::string(manifest::kManifestFolder) + "/"))
    return cut_manifest(file, facts, folder, stage, reporter);
  throw Error("does not follow from other files of the dataset", at(base::inside(folder, file)));
}

}  // namespace shardmill::repair
