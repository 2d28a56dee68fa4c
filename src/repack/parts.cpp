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
#include "repack/bucket_home.hpp"
#include "repack/fingerprint.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/home.hpp"
#include "repack/parts/deal.hpp"
#include "repack/parts/shared_work.hpp"
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

/// What must be done first; empty: nothing.
std::string before_planning_again(const RepackOptions& options) {
  if (!options.is_for_bucket()) return {};
  return fmt::format("once no part is at work, remove {}/{}", options.place(), manifest::kLockFile);
}

/// What is wrong with work that was fetched from a bucket is wrong there. Returns nullopt for other errors.
std::optional<Error> as_in_bucket(const RepackOptions& options, const Error& error) {
  const std::string& path = error.where().path;
  if (!options.is_for_bucket() || !path.starts_with(work_folder_of(options.out_folder) + "/"))
    return std::nullopt;
  if (base::exists(path) && error.remedy() != Remedy::start_over) return std::nullopt;
  return Error("is missing, damaged, or was changed by another program",
               at(options.place() + path.substr(options.out_folder.size())), before_planning_again(options),
               Remedy::plan_again);
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
    throw Error(fmt::format("the run was planned for other sources: {}", *what), at(options.place()),
                before_planning_again(options), Remedy::plan_again);
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
  const std::uint32_t first = share.shards.first;
  SharedWork shared(options, reporter);
  if (auto done = pipeline::read_complete_part(folder, part_fingerprint(plan, part))) {
    shared.send_complete(part, *done, first);
    return *done;
  }
  shared.fetch(part);
  const auto shares = held.of(share.shards);
  const pipeline::MillPlan how = mill_of_part(options, whole, plan, part, std::move(share));
  pipeline::Mill mill(how, workers, reporter);
  try {
    mill.resume();
    mill.complete(shares);
  } catch (const Error& error) {
    const auto there = as_in_bucket(options, error);
    if (!there) throw;
    shared.drop_fetched(part);
    throw Error(*there);
  }
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
  shared.send_complete(part, complete, first);
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
  auto old = read_part_plan(options.place());
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
  // A run in parts replaces no dataset in a bucket, so that one that is there is its own.
  const bool is_there = base::exists(dataset_path(options.place()));
  if (is_there && options.is_for_bucket()) return true;
  const auto now = read_part_plan(options.place());
  if (!now && is_there) return true;
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
  PlanningRun(Home& home, const RepackOptions& options, const RepackPlan& whole, PartPlan plan,
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
  const base::ListedFolder listed(home().place());
  RepackOptions there = options_;
  there.out_folder = home().place();
  auto finished = already_there(there, whole_);
  if (!finished) return std::nullopt;
  PartsPlanned found = planned();
  found.finished = std::move(finished);
  return found;
}

/// The work that parts of the same run have done stays.
void PlanningRun::prepare() {
  check_room(options_, whole_, plan_.parts);
  home().prepare(whole_, plan_.parts);
  if (options_.force) {
    check_no_part_at_work(home().folder());
  } else if (const auto before = planned_before(options_, plan_)) {
    was_planned_ = true;
    plan_.id = before->id;
  }
  if (was_planned_) return;
  SharedWork(options_, reporter()).give_up();
  remove_work(home().work());
}

Made<PartsPlanned> PlanningRun::make() {
  base::make_folders(home().work());
  write_part_plan(home().folder(), plan_);
  SharedWork(options_, reporter()).send_plan();
  return {.summary = planned(), .files = {}, .keeps_work = true};
}

/// Does everything that the parts have left to do.
class FinishingRun final : public Run<RepackSummary> {
 public:
  FinishingRun(Home& home, const RepackOptions& options, const PartPlan& plan, pipeline::Workers& workers,
               base::Reporter& reporter)
      : Run(home, options, reporter), options_(options), plan_(plan), workers_(workers) {}

 protected:
  RepackSummary foretell() override { return summary_of_finished(home().place(), options_.max_rejects); }
  std::optional<RepackSummary> find() override;
  void prepare() override;
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
  const base::ListedFolder listed(home().place());
  return summary_of_finished(home().place(), options_.max_rejects);
}

void FinishingRun::prepare() {
  whole_ = plan_again(options_, plan_, reporter());
  home().prepare(whole_, workers_.threads());
  base::make_folders(home().work());
  if (options_.is_for_bucket()) write_part_plan(home().folder(), plan_);  // the folder is that of a run
}

void FinishingRun::complete(std::uint32_t part, const Division& division, const HeldSamples& held,
                            AllParts& all) {
  const std::string folder = part_folder(home().folder(), part);
  const base::WriterLock lock = lock_folder(folder, options_, reporter());
  PartShare share = division.share(part);
  const std::uint32_t first = share.shards.first;
  SharedWork shared(options_, reporter());
  const std::string done = shared.done_folder(part);
  auto complete = pipeline::read_complete_part(done, part_fingerprint(plan_, part));
  if (!complete)
    complete = complete_part(options_, whole_, plan_, part, std::move(share), held, workers_, reporter());
  auto state = state_in(done, plan_, part);
  pipeline::check_logs(done, *state);
  for (std::uint32_t i = 0; i < complete->shards.size(); ++i) {
    FinishedShard& shard = all.shards.emplace_back(
        finished_shard(complete->shards[i], complete->tar_bytes[i], std::move(state->mill.tallies[i])));
    shard.manifest = pipeline::spooled_manifest_path(folder + "/spool", i);
    shard.manifest_check = complete->manifest_checks[i];
    const auto place = shared.place_of(first + i);
    if (!place) continue;
    shard.tar = place->tar;
    shard.manifest = place->manifest;
    shard.is_in_place = true;
    if (base::size_of_file(shard.tar) != shard.record.bytes)
      throw Error("is not there, or has another size than it was sent with", at(shard.tar),
                  "another program may be writing there");
  }
  all.counts.push_back(std::move(state->admission.counts));
  all.reject_logs.push_back(pipeline::reject_log_path(done));
}

Made<RepackSummary> FinishingRun::make() {
  const HeldSamples held(options_.place(), plan_, deal_held(options_, whole_, plan_, reporter()));
  const Division division(whole_, plan_.parts);
  AllParts all;
  for (std::uint32_t part = 0; part < plan_.parts; ++part) complete(part, division, held, all);
  all.counts.push_back(write_broken_promises(
      home().work(), broken_promises_of_parts(options_.place(), whole_, plan_), all.reject_logs));
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
  RepackOptions options = options_on_this_machine(asked);
  for (std::string& source : options.sources) source = absolute_source(source);
  make_paths_absolute(options.recipe.intake);
  manifest::check_prefix(options.recipe.prefix);
  const RepackPlan whole = make_plan(options, reporter);
  check_apart(options, whole.sources);
  check_options(options, parts, whole.shards);
  check_shard_count(whole, reporter);
  PartsPlanned planned;
  {
    DatasetHome made(options.out_folder);
    const auto difference = [&](const std::string& folder) { return difference_to_finished(whole, folder); };
    PartPlan plan = part_plan(options, whole, parts);
    ChosenHome chosen(options, made, {.difference = difference, .plan_id = plan.id}, 1, reporter);
    planned = PlanningRun(chosen.home(), options, whole, std::move(plan), reporter).run();
  }
  if (planned.finished && !options.is_for_bucket())
    keep_max_rejects(options.out_folder, *planned.finished, options.command, reporter);
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
  claim_work_folder(options);  // first: a folder with a lock and no claim is taken for that of somebody else
  const base::WriterLock lock = lock_folder(folder, options, reporter);
  SharedWork shared(options, reporter);
  PartShare share = Division(whole, plan.parts).share(part);
  PartDone done{.shards = share.shards.count};
  done.input_bytes = share.inputs.bytes();
  if (is_finished_now(options, plan)) return done;
  auto state = state_of(options.place(), plan, part);
  if (!state) shared.drop_fetched(part);
  if (state) {
    done.samples = state->admission.counts.taken;
    auto held = pipeline::read_held_shards(held_shards_path(options.place()), plan.id);
    if (held && !pipeline::read_complete_part(shared.done_folder(part), part_fingerprint(plan, part))) {
      done.what = PartDone::What::completed;
      complete_part(options, whole, plan, part, std::move(share),
                    HeldSamples(options.place(), plan, std::move(*held)), workers, reporter);
    } else {
      shared.leave(part);
    }
  } else if (auto read = state_of(options.out_folder, plan, part)) {  // and not sent
    done.what = PartDone::What::read;
    done.resumed = true;
    done.samples = read->admission.counts.taken;
    shared.send_read(part);
  } else {
    done.what = PartDone::What::read;
    base::make_folders(folder + "/spool");
    const pipeline::MillPlan how = mill_of_part(options, whole, plan, part, std::move(share));
    reporter.progress().input_bytes_total = done.input_bytes;
    pipeline::Mill mill(how, workers, reporter);
    done.resumed = mill.resume();
    mill.run();
    done.samples = mill.counts().taken;
    shared.send_read(part);
  }
  done.seconds = clock.elapsed_seconds();
  return done;
}

void deal_parts(const RepackOptions& options, const PartPlan& plan, base::Reporter& reporter) {
  claim_work_folder(options);
  const base::WriterLock lock = lock_folder(work_folder_of(options.out_folder), options, reporter);
  if (!is_finished_now(options, plan)) {
    const RepackPlan whole = plan_again(options, plan, reporter);
    deal_held(options, whole, plan, reporter);
  }
  SharedWork shared(options, reporter);  // a run may have been killed when it had sent these
  for (const std::string& path : {given_back_path(options.out_folder), held_shards_path(options.out_folder)})
    shared.leave(path);
}

RepackSummary finish_parts(const RepackOptions& options, const PartPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  DatasetHome made(options.out_folder);
  ChosenHome chosen(options, made, {.plan_id = plan.id}, workers.threads(), reporter);
  return FinishingRun(chosen.home(), options, plan, workers, reporter).run();
}

std::optional<RepackSummary> finished_already(const RepackOptions& options, base::Reporter& reporter) {
  DatasetHome made(options.out_folder);
  auto plan = read_part_plan(options.place());
  ChosenHome chosen(options, made, {.plan_id = plan ? plan->id : ""}, 1, reporter);
  Home& home = chosen.home();
  if (!options.is_for_bucket())
    dataset::check_output_is_ours(options.out_folder, dataset::OutputKind::dataset);
  const bool is_left = options.is_for_bucket() && home.is_finished() && (plan || !home.is_untouched());
  if (home.is_promised() || is_left) {
    home.lock(options, reporter);
    home.complete();
    if (options.is_for_bucket()) home.settle(reporter);
    plan = read_part_plan(options.place());
  }
  if (plan || !home.is_finished()) return std::nullopt;
  const base::ListedFolder listed(home.place());
  const auto run = manifest::read_run_record(base::inside(home.place(), manifest::kRun));
  return summary_of_finished(home.place(), run.max_rejects);
}

}  // namespace shardmill::repack
