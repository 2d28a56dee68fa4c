#include "repack/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "base/version.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/output_folder.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/part_state.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/home.hpp"
#include "repack/parts/deal.hpp"
#include "repack/plan_size.hpp"
#include "repack/run.hpp"

namespace shardmill::repack {

namespace {

/// The working folder, if the sources name commands or files by relative paths; else empty.
std::string folder_of_relative_paths(const source::SourceSet& sources) {
  for (const source::SourceDataset& dataset : sources.datasets) {
    for (const source::SourceFile& file : dataset.files) {
      if (file.kind == source::SourceKind::command || !file.path.starts_with('/'))
        return std::filesystem::current_path().string();
    }
  }
  return {};
}

/// Makes the plan again as it was made. Throws Error when the sources have changed since then.
RepackPlan plan_again(const RepackOptions& options, const PartPlan& plan, base::Reporter& reporter) {
  if (!plan.working_folder.empty() && plan.working_folder != std::filesystem::current_path()) {
    throw Error(
        fmt::format("its sources name files by paths that begin in {}", printable(plan.working_folder)),
        at(options.out_folder), "do all steps of this run in that folder");
  }
  RepackPlan again = make_plan(options, reporter);
  if (const auto what = difference(plan.fingerprint, fingerprint(again))) {
    throw Error(fmt::format("the run was planned for other sources: {}", *what), at(options.out_folder),
                Remedy::start_over);
  }
  return again;
}

pipeline::MillPlan mill_of_part(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan,
                                std::uint32_t part, PartShare&& share) {
  pipeline::MillPlan how =
      mill_plan(whole, std::move(share.inputs), part_folder(options.out_folder, part), options.checkpoints);
  how.shards = share.shards.count;
  how.part = {.first_shard = share.shards.first, .allowances = std::move(share.allowances)};
  how.fingerprint = part_fingerprint(plan, part);
  if (part != 0) how.unusable.clear();
  how.promises.clear();  // only all parts together can keep them
  return how;
}

pipeline::CompletePart complete_part(const RepackOptions& options, const RepackPlan& whole,
                                     const PartPlan& plan, std::uint32_t part, PartShare&& share,
                                     const HeldSamples& held, pipeline::Workers& workers,
                                     base::Reporter& reporter) {
  const std::string folder = part_folder(options.out_folder, part);
  if (auto done = pipeline::read_complete_part(folder, part_fingerprint(plan, part))) return *done;
  const auto shares = held.of(share.shards);
  const pipeline::MillPlan how = mill_of_part(options, whole, plan, part, std::move(share));
  pipeline::Mill mill(how, workers, reporter);
  mill.resume();
  mill.complete(shares);
  reporter.phase(whole.recipe.codec == codec::Codec::none ? "recording" : "compressing");
  pipeline::CompletePart complete{
      .shards = pipeline::pack_shards(mill.spools(), encoder_options(whole.recipe), workers, reporter),
      .tar_bytes = {},
      .manifest_checks = {}};
  for (const pipeline::SpoolState& spool : mill.spools().states()) {
    complete.tar_bytes.push_back(spool.tar_bytes);
    complete.manifest_checks.push_back(spool.manifest_check);
  }
  pipeline::write_complete_part(folder, how.fingerprint, complete);
  return complete;
}

/// What is left out because no part met it, as one more log.
pipeline::IntakeCounts write_broken_promises(const std::string& work,
                                             const std::vector<manifest::Reject>& broken,
                                             std::vector<std::string>& reject_logs) {
  pipeline::IntakeCounts counts;
  if (broken.empty()) return counts;
  std::string lines;
  for (const manifest::Reject& reject : broken) {
    append_line(lines, reject);
    ++counts.left_out[std::string(name(reject.reason))];
    if (manifest::is_error(reject.reason)) ++counts.errors;
  }
  reject_logs.push_back(work + "/missed.jsonl");
  base::File file = base::File::create(reject_logs.back());
  file.write(base::as_bytes(lines));
  file.close();
  return counts;
}

void check_options(const RepackOptions& options, std::uint32_t parts, std::uint32_t shards) {
  const dataset::Recipe& recipe = options.recipe;
  if (recipe.intake.limit != 0)
    throw UsageError("a run in parts cannot be limited to some samples", {}, Remedy::not_in_parts);
  if (recipe.even != deal::Even::off) {
    throw UsageError("a run in parts cannot give all shards the same number of samples", {},
                     Remedy::not_in_parts);
  }
  if (recipe.intake.on_duplicate_audio != pipeline::OnDuplicateAudio::off) {
    throw UsageError(
        "a run in parts cannot look for the same audio", {},
        "parts do not know each other's audio; shardmill inspect --duplicates compares the sources",
        Remedy::not_in_parts);
  }
  if (recipe.intake.on_duplicate != pipeline::OnDuplicate::stop) {
    throw UsageError("a run in parts cannot choose between samples of one key", {},
                     "parts do not know each other's keys", Remedy::not_in_parts);
  }
  if (!options.depfile.empty())
    throw UsageError("a run in parts writes no list of dependencies", {}, Remedy::not_in_parts);
  if (parts > shards) {
    throw UsageError(fmt::format("{} parts are too many for {}", parts, base::format_count(shards, "shard")),
                     {}, "each part makes at least one shard");
  }
}

/// The plan of this run, if the folder holds it already. Throws Error for anything else that is unfinished in
/// the folder.
std::optional<PartPlan> planned_before(const RepackOptions& options, const PartPlan& plan) {
  auto old = read_part_plan(options.out_folder);
  if (!old) {
    if (base::exists(pipeline::journal_path(work_folder_of(options.out_folder)))) {
      throw Error("holds an unfinished run of one machine", at(options.out_folder), "finish that one",
                  Remedy::start_over);
    }
    return std::nullopt;
  }
  const auto what = difference(old->fingerprint, plan.fingerprint);
  if (old->parts == plan.parts && old->version == plan.version && !what) return old;
  throw Error(fmt::format("holds an unfinished run in {} of shardmill {} that differs{}",
                          base::format_count(old->parts, "part"), old->version, what ? ": " + *what : ""),
              at(options.out_folder), "finish that one", Remedy::start_over);
}

/// True when another process has finished the run while this one waited for the lock. Throws Error when
/// another run has taken its place.
bool is_finished_now(const RepackOptions& options, const PartPlan& plan) {
  const auto now = read_part_plan(options.out_folder);
  if (!now && base::exists(dataset_path(options.out_folder))) return true;
  if (now && now->id == plan.id) return false;
  throw Error("was planned again meanwhile", at(options.out_folder), "run the same command again");
}

/// Of the files that parts read, wherever they run.
void make_paths_absolute(pipeline::IntakeOptions& intake) {
  const auto make = [](std::string& path) {
    if (path.empty()) return;
    check_not_secret(path);
    path = base::absolute(path);
  };
  make(intake.tree.audio_root);
  make(intake.keys.only.path);
  make(intake.keys.never.path);
  for (auto* tables : {&intake.tables, &intake.labels}) {
    for (pipeline::TableFile& table : *tables) make(table.path);
  }
}

/// Writes down the plan, unless the dataset is finished already.
class PlanningRun final : public Run<PartsPlanned> {
 public:
  PlanningRun(DatasetHome& home, const RepackOptions& options, const RepackPlan& whole, PartPlan plan,
              base::Reporter& reporter)
      : Run(home, options, reporter), options_(options), whole_(whole), plan_(std::move(plan)) {}

 protected:
  PartsPlanned foretell() override { return planned(); }
  std::optional<PartsPlanned> find() override;
  void check() override { check_sources(whole_, reporter()); }
  void prepare() override;
  Made<PartsPlanned> make() override;
  bool is_work_worth_keeping() const override { return true; }

 private:
  PartsPlanned planned() const {
    return {.parts = plan_.parts,
            .shards = whole_.shards,
            .files = whole_.inputs.files(),
            .input_bytes = whole_.inputs.bytes(),
            .was_planned = was_planned_};
  }

  const RepackOptions& options_;
  const RepackPlan& whole_;
  PartPlan plan_;
  bool was_planned_ = false;
};

std::optional<PartsPlanned> PlanningRun::find() {
  auto finished = already_there(options_, whole_);
  if (!finished) return std::nullopt;
  PartsPlanned found = planned();
  found.finished = std::move(finished);
  return found;
}

/// The work that parts of the same run have done stays.
void PlanningRun::prepare() {
  check_room(options_, whole_, plan_.parts);
  if (options_.force) {
    check_no_part_at_work(home().folder());
  } else if (const auto before = planned_before(options_, plan_)) {
    was_planned_ = true;
    plan_.id = before->id;
  }
  if (!was_planned_) home().remove_work();
}

Made<PartsPlanned> PlanningRun::make() {
  write_part_plan(home().folder(), plan_);
  return {.summary = planned(), .files = {}, .keeps_work = true};
}

/// Does everything that the parts have left to do.
class FinishingRun final : public Run<RepackSummary> {
 public:
  FinishingRun(DatasetHome& home, const RepackOptions& options, const PartPlan& plan,
               pipeline::Workers& workers, base::Reporter& reporter)
      : Run(home, options, reporter), options_(options), plan_(plan), workers_(workers) {}

 protected:
  RepackSummary foretell() override { return summary_of_finished(home().folder(), options_.max_rejects); }
  std::optional<RepackSummary> find() override;
  void prepare() override { whole_ = plan_again(options_, plan_, reporter()); }
  Made<RepackSummary> make() override;
  bool is_work_worth_keeping() const override { return true; }

 private:
  /// What the parts have done, together.
  struct AllParts {
    std::vector<FinishedShard> shards{};
    std::vector<pipeline::IntakeCounts> counts{};
    std::vector<std::string> reject_logs{};
  };
  void complete(std::uint32_t part, const Division& division, const HeldSamples& held, AllParts& all);

  const RepackOptions& options_;
  const PartPlan& plan_;
  pipeline::Workers& workers_;
  RepackPlan whole_;
  RunClock clock_;
};

std::optional<RepackSummary> FinishingRun::find() {
  if (!is_finished_now(options_, plan_)) return std::nullopt;
  return summary_of_finished(home().folder(), options_.max_rejects);
}

void FinishingRun::complete(std::uint32_t part, const Division& division, const HeldSamples& held,
                            AllParts& all) {
  const std::string folder = part_folder(home().folder(), part);
  const base::WriterLock lock = lock_folder(folder, options_, reporter());
  const auto complete =
      complete_part(options_, whole_, plan_, part, division.share(part), held, workers_, reporter());
  auto state = state_of(home().folder(), plan_, part);
  pipeline::check_logs(folder, *state);
  for (std::uint32_t i = 0; i < complete.shards.size(); ++i) {
    FinishedShard& shard = all.shards.emplace_back(
        finished_shard(complete.shards[i], complete.tar_bytes[i], std::move(state->mill.tallies[i])));
    shard.manifest = pipeline::spooled_manifest_path(folder + "/spool", i);
    shard.manifest_check = complete.manifest_checks[i];
  }
  all.counts.push_back(std::move(state->admission.counts));
  all.reject_logs.push_back(pipeline::reject_log_path(folder));
}

Made<RepackSummary> FinishingRun::make() {
  const HeldSamples held(home().folder(), plan_, deal_held(options_, whole_, plan_, reporter()));
  const Division division(whole_, plan_.parts);
  AllParts all;
  for (std::uint32_t part = 0; part < plan_.parts; ++part) complete(part, division, held, all);
  all.counts.push_back(write_broken_promises(
      home().work(), broken_promises_of_parts(home().folder(), whole_, plan_), all.reject_logs));
  Recorded recorded = record({.options = options_,
                              .plan = whole_,
                              .counts = pipeline::sum(all.counts),
                              .shards = std::move(all.shards),
                              .reject_logs = std::move(all.reject_logs),
                              .work_folder = home().work(),
                              .clock = clock_},
                             workers_, reporter());
  recorded.summary.tables = compare_with_lists(whole_.recipe.intake, recorded.listed, reporter());
  return {.summary = std::move(recorded.summary),
          .files = {{.split = {}, .renames = std::move(recorded.renames)}}};
}

/// How the run is divided.
PartPlan part_plan(const RepackOptions& options, const RepackPlan& whole, std::uint32_t parts) {
  PartPlan plan{.version = std::string(base::version()),
                .recipe = dataset::text_of(whole.recipe),
                .sources = options.sources,
                .allow_commands = options.allow_commands,
                .max_rejects = options.max_rejects,
                .command = options.command,
                .working_folder = folder_of_relative_paths(whole.sources),
                .parts = parts,
                .shards = whole.shards,
                .fingerprint = fingerprint(whole),
                .id = {}};
  plan.id = plan_id(plan.fingerprint, parts);
  return plan;
}

}  // namespace

PartsPlanned plan_parts(const RepackOptions& asked, std::uint32_t parts, base::Reporter& reporter) {
  const RunClock clock;
  RepackOptions options = asked;
  for (std::string& source : options.sources) source = absolute_source(source);
  make_paths_absolute(options.recipe.intake);
  manifest::check_prefix(options.recipe.prefix);
  const RepackPlan whole = make_plan(options, reporter);
  check_options(options, parts, whole.shards);
  check_shard_count(whole, reporter);
  PartsPlanned planned;
  {
    DatasetHome home(options.out_folder);
    planned = PlanningRun(home, options, whole, part_plan(options, whole, parts), reporter).run();
  }
  if (planned.finished) keep_max_rejects(options.out_folder, *planned.finished, options.command, reporter);
  planned.seconds = clock.elapsed_seconds();
  return planned;
}

PartDone run_part(const RepackOptions& options, const PartPlan& plan, std::uint32_t part,
                  pipeline::Workers& workers, base::Reporter& reporter) {
  const RunClock clock;
  if (part >= plan.parts) {
    throw UsageError(fmt::format("there is no part {}", part), {},
                     fmt::format("the run has parts 0 to {}", plan.parts - 1));
  }
  const RepackPlan whole = plan_again(options, plan, reporter);
  const std::string folder = part_folder(options.out_folder, part);
  const base::WriterLock lock = lock_folder(folder, options, reporter);
  PartShare share = Division(whole, plan.parts).share(part);
  PartDone done{.shards = share.shards.count};
  done.input_bytes = share.inputs.bytes();
  if (is_finished_now(options, plan)) return done;
  if (auto state = state_of(options.out_folder, plan, part)) {
    done.samples = state->admission.counts.taken;
    auto held = pipeline::read_held_shards(held_shards_path(options.out_folder), plan.id);
    if (held && !pipeline::read_complete_part(folder, part_fingerprint(plan, part))) {
      done.what = PartDone::What::completed;
      complete_part(options, whole, plan, part, std::move(share),
                    HeldSamples(options.out_folder, plan, std::move(*held)), workers, reporter);
    }
  } else {
    done.what = PartDone::What::read;
    base::make_folders(folder + "/spool");
    const pipeline::MillPlan how = mill_of_part(options, whole, plan, part, std::move(share));
    reporter.progress().input_bytes_total = done.input_bytes;
    pipeline::Mill mill(how, workers, reporter);
    done.resumed = mill.resume();
    mill.run();
    done.samples = mill.counts().taken;
  }
  done.seconds = clock.elapsed_seconds();
  return done;
}

void deal_parts(const RepackOptions& options, const PartPlan& plan, base::Reporter& reporter) {
  const base::WriterLock lock = lock_folder(work_folder_of(options.out_folder), options, reporter);
  if (is_finished_now(options, plan)) return;
  const RepackPlan whole = plan_again(options, plan, reporter);
  deal_held(options, whole, plan, reporter);
}

RepackSummary finish_parts(const RepackOptions& options, const PartPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  DatasetHome home(options.out_folder);
  return FinishingRun(home, options, plan, workers, reporter).run();
}

std::optional<RepackSummary> finished_already(const RepackOptions& options, base::Reporter& reporter) {
  DatasetHome home(options.out_folder);
  dataset::check_output_is_ours(options.out_folder, dataset::OutputKind::dataset);
  if (home.is_promised()) {
    home.lock(options, reporter);
    home.complete();
  }
  if (read_part_plan(options.out_folder) || !home.is_finished()) return std::nullopt;
  const auto run = manifest::read_run_record(base::inside(options.out_folder, manifest::kRun));
  return summary_of_finished(options.out_folder, run.max_rejects);
}

}  // namespace shardmill::repack
