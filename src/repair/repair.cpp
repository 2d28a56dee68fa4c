#include "repair/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/units.hpp"
#include "dataset/form_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "repair/derived_files.hpp"
#include "repair/inventory.hpp"
#include "repair/source_shards.hpp"
#include "repair/unsummed_files.hpp"

namespace shardmill::repair {

namespace {

using check::RepairFrom;
using check::RepairStep;
using Files = std::vector<manifest::Checksum>;

constexpr std::string_view kOtherBytes = "what came out is not what was recorded";

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
      return std::move(summary_);
    }
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
    for (auto& [file, why] : summary_.beyond) {
      if (const auto problem = problems_.find(file); problem != problems_.end()) why = problem->second;
    }
    return std::move(summary_);
  }

 private:
  /// Only SHA256SUMS and data.list tell that some files are missing or wrong: looks once more, now that they
  /// may be whole again. True when there is more to do.
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

  void tell_plan() {
    find_facts();
    const check::RepairPlan plan = check::plan_repair(facts_, inventory_.bad);
    for (const RepairStep& step : plan.steps) {
      for (const std::string& file : step.files)
        summary_.repaired.push_back({.name = file, .from = step.from});
    }
    summary_.beyond = plan.beyond;
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
    // What nobody has a checksum of is made again to find out whether it is as it should be.
    std::erase_if(made, [&](const manifest::Checksum& file) { return is_there(file); });
    const dataset::FileNames owned(step.files.begin(), step.files.end());
    stage.publish(made, owned);
    for (const manifest::Checksum& file : made)
      summary_.repaired.push_back({.name = file.path, .from = step.from});
  }

  bool is_there(const manifest::Checksum& file) const {
    return !file.sha256.empty() && dataset::holds_just(options_.folder + "/" + file.path, file.sha256);
  }

  /// Only what the step is for, and only the right bytes. Where the checksum is lost, what was made of files
  /// that are known to be whole is right; data.list and SHA256SUMS have none.
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
    base::AtomicFile file(stage + "/" + std::string(manifest::kChecksums));
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

}  // namespace

RepairSummary repair_dataset(const RepairOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  RepairSummary all;
  std::set<std::string> repaired;
  for (;;) {
    RepairSummary some =
        Repair(options, take_inventory(options.folder, workers, reporter), workers, reporter).run();
    // Without checksums, what is made of other files is made again each time.
    std::erase_if(some.repaired, [&](const auto& file) { return !repaired.insert(file.name).second; });
    all.repaired.insert(all.repaired.end(), some.repaired.begin(), some.repaired.end());
    all.beyond = std::move(some.beyond);
    all.files = std::max(all.files, some.files);
    all.bytes = std::max(all.bytes, some.bytes);
    // Now that more is whole, more may be known.
    if (all.beyond.empty() || some.repaired.empty() || options.dry_run) break;
  }
  if (!options.dry_run && !all.repaired.empty()) {
    FindingList findings;  // found by others
    dataset::refresh_form_files(dataset::read_records(options.folder, findings));
  }
  return all;
}

}  // namespace shardmill::repair
