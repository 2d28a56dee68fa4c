#include "shardmill/commands/repack.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <utility>

#include "shardmill/base/filesystem.hpp"
#include "shardmill/base/folder.hpp"
#include "shardmill/base/machine.hpp"
#include "shardmill/base/writer_lock.hpp"
#include "shardmill/codec/bzip2_block.hpp"
#include "shardmill/commands/depfile.hpp"
#include "shardmill/commands/environment.hpp"
#include "shardmill/commands/publish.hpp"
#include "shardmill/commands/repack_plan.hpp"
#include "shardmill/commands/repack_records.hpp"
#include "shardmill/manifest/layout.hpp"
#include "shardmill/pipeline/journal.hpp"
#include "shardmill/pipeline/pack_shards.hpp"

namespace shardmill::commands {

namespace fs = std::filesystem;

namespace {

std::string work_folder_of(const std::string& folder) {
  return folder + "/" + std::string(manifest::kWorkFolder);
}

std::string dataset_path(const std::string& folder) {
  return folder + "/" + std::string(manifest::kDataset);
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

base::WriterLock lock(const RepackOptions& options, base::Reporter& reporter) {
  const std::string path = options.out_folder + "/" + std::string(manifest::kLockFile);
  if (!options.wait) return base::WriterLock::acquire(path, options.command);
  bool told = false;
  return base::WriterLock::wait(path, options.command, [&](const std::string& holder) {
    reporter.check_stop();
    if (!std::exchange(told, true)) reporter.phase("waiting for " + holder);
  });
}

/// What is different from the finished dataset in `folder`; nullopt when the same run would make it again.
std::optional<std::string> difference_to_finished(const RepackPlan& plan, const std::string& folder) {
  const manifest::DatasetRecord finished = manifest::read_dataset_record(dataset_path(folder));
  for (std::size_t i = 0; i < std::max(finished.options.size(), plan.options.size()); ++i) {
    if (i >= finished.options.size() || i >= plan.options.size())
      return "another version of shardmill made it";
    const auto& [name, value] = plan.options[i];
    if (finished.options[i] != plan.options[i]) {
      return fmt::format("{}: it was made with '{}', now '{}' is asked for", name, finished.options[i].second,
                         value);
    }
  }
  if (finished.inputs_xxh3 != plan.sources.digest()) return "the source files are others";
  const auto run = manifest::read_run_record(folder + "/" + std::string(manifest::kRun));
  std::map<std::string, std::int64_t> written;
  for (const auto& input : run.inputs) written[input.path] = input.mtime_ns;
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        if (written[file.path] != file.mtime_ns) return fmt::format("{} was written since", file.path);
      }
    }
  }
  return std::nullopt;
}

/// The part of the number of shards that an estimate decides must not make a finished dataset look different.
std::optional<RepackSummary> already_there(const RepackOptions& options, const RepackPlan& plan) {
  if (options.force || !base::exists(dataset_path(options.out_folder))) return std::nullopt;
  if (const auto what = difference_to_finished(plan, options.out_folder)) {
    throw Error(fmt::format("holds a finished dataset that differs: {}", *what), at(options.out_folder),
                "--force replaces it, or choose another --out");
  }
  RepackSummary summary{.outcome = RepackSummary::Outcome::already_there};
  summary.dataset = manifest::read_dataset_record(dataset_path(options.out_folder));
  return summary;
}

/// All in the work folder but the lock. The list of what to publish goes last: while it is there, a run that
/// follows a crash knows that the dataset is finished and the rest is to be removed.
void remove_work(const std::string& work) {
  const fs::path list = publish_list_path(work);
  for (const fs::path& entry : base::entries(work)) {
    if (entry != list && entry.filename() != fs::path(manifest::kLockFile).filename())
      base::remove_tree(entry);
  }
  base::remove_tree(list);
}

/// Makes the work folder ready: an unfinished run of the same plan stays, anything else goes.
void prepare_work_folder(const RepackOptions& options, const RepackPlan& plan) {
  const std::string work = work_folder_of(options.out_folder);
  std::optional<pipeline::Journal> journal;
  if (!options.force) journal = pipeline::read_journal(pipeline::journal_path(work));
  if (journal) {
    if (const auto what = difference(journal->fingerprint, fingerprint(plan))) {
      throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(options.out_folder),
                  "finish that one, or start over with --force");
    }
    return;
  }
  remove_work(work);
  base::make_folders(work + "/spool");
}

manifest::RunRecord run_record(const RepackOptions& options, const RepackPlan& plan,
                               const pipeline::Workers& workers, std::string started, double seconds,
                               bool resumed) {
  manifest::RunRecord run;
  run.command = options.command;
  run.started = std::move(started);
  run.seconds = seconds;
  run.resumed = resumed ? 1 : 0;
  const base::Machine machine = base::machine();
  run.host = machine.host;
  run.system = machine.system;
  run.cpu = machine.cpu;
  run.vector_path = codec::bzip2_vector_path();
  run.filesystem = base::filesystem_of(options.out_folder).mount.kind;
  run.cores = machine.usable_cores;
  run.threads = workers.threads();
  run.memory_bytes = workers.memory_bytes();
  run.list_root = options.list_root.empty() ? base::canonical(options.out_folder) : options.list_root;
  run.versions = all_versions(options.libraries);
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        run.inputs.push_back(
            {.dataset = dataset.name, .path = file.path, .bytes = file.bytes, .mtime_ns = file.mtime_ns});
      }
    }
  }
  return run;
}

pipeline::MillPlan mill_plan(const RepackOptions& options, const RepackPlan& plan) {
  return {.datasets = plan.inputs,
          .intake = options.intake,
          .seed = options.seed,
          .shards = plan.shards,
          .hash_tars = options.codec == codec::Codec::none,
          .work_folder = work_folder_of(options.out_folder),
          .fingerprint = fingerprint(plan),
          .unusable = plan.sources.unusable,
          .checkpoints = options.checkpoints};
}

std::uint64_t input_bytes(const RepackPlan& plan) {
  std::uint64_t sum = 0;
  for (const pipeline::DatasetInput& input : plan.inputs) sum += input.bytes();
  return sum;
}

/// A mix of rates or channels breaks training, often far from here: said aloud, not left to be found.
void warn_of_mix(const manifest::DatasetRecord& dataset, base::Reporter& reporter) {
  if (manifest::is_uniform(dataset)) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> samples;
  for (const auto& kind : dataset.audio) samples[{kind.sample_rate, kind.channels}] += kind.samples;
  std::string forms;
  for (const auto& [form, count] : samples) {
    forms += fmt::format("{}{} sample{} of {} Hz and {} channel{}", forms.empty() ? "" : ", ", count,
                         count == 1 ? "" : "s", form.first, form.second, form.second == 1 ? "" : "s");
  }
  reporter.warn(Error("the audio is a mix: " + forms, {},
                      "most trainers stumble over that; --sample-rate and --channels mono bring it to one "
                      "form, --require-uniform makes it an error"));
}

/// From an empty or resumed work folder to the finished dataset.
RepackSummary mill_all(const RepackOptions& options, const RepackPlan& plan, pipeline::Workers& workers,
                       base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  const std::string started = now_utc();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const pipeline::MillPlan how = mill_plan(options, plan);
  reporter.progress().input_bytes_total = input_bytes(plan);

  pipeline::Mill mill(how, workers, reporter);
  RepackSummary summary;
  summary.resumed = mill.resume();
  mill.run();
  reporter.phase(options.codec == codec::Codec::none ? "recording" : "compressing");
  const auto shards = pipeline::pack_shards(
      mill.spools(), {.codec = options.codec, .level = options.level, .seekable = options.seekable}, workers,
      reporter);
  reporter.phase("recording");
  const auto written = write_records({.options = options,
                                      .plan = plan,
                                      .counts = mill.counts(),
                                      .tallies = mill.tallies(),
                                      .shards = finished_shards(mill.spools(), shards),
                                      .reject_logs = {pipeline::reject_log_path(how.work_folder)},
                                      .work_folder = how.work_folder,
                                      .workers = workers,
                                      .reporter = reporter},
                                     run_record(options, plan, workers, started, elapsed(), summary.resumed));
  publish(options.out_folder, written.renames);
  warn_of_mix(written.dataset, reporter);

  summary.dataset = written.dataset;
  summary.counts = mill.counts();
  summary.too_many_rejects = summary.counts.errors > options.max_rejects;
  summary.seconds = elapsed();
  return summary;
}

/// A run that stopped before its first checkpoint leaves nothing worth keeping.
void clean_up_failure(const std::string& work) noexcept {
  try {
    if (!base::exists(pipeline::journal_path(work)) && !base::exists(publish_list_path(work)))
      remove_work(work);
  } catch (const std::exception&) {
    // The failure that led here is the one to tell of; the next run finds what is left.
  }
}

/// The dataset that is there already, or a new one.
RepackSummary find_or_make(const RepackOptions& options, const RepackPlan& plan, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  const base::WriterLock held = lock(options, reporter);
  const std::string work = work_folder_of(options.out_folder);
  if (finish_publishing(options.out_folder)) remove_work(work);
  if (auto summary = already_there(options, plan)) return *summary;
  prepare_work_folder(options, plan);
  try {
    RepackSummary summary = mill_all(options, plan, workers, reporter);
    summary.input_bytes = input_bytes(plan);
    remove_work(work);
    return summary;
  } catch (...) {
    clean_up_failure(work);
    throw;
  }
}

/// For make: what the dataset depends on. Empty when nobody asked.
std::string dependencies(const RepackOptions& options, const RepackPlan& plan) {
  if (options.depfile.empty()) return {};
  return base::make_rules(
      {{.target = dataset_path(options.out_folder), .prerequisites = files_behind(plan.sources)}});
}

}  // namespace

RepackSummary run_repack(const RepackOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(options.prefix);
  check_codec(options.indexes, options.codec);
  const RepackPlan plan = make_plan(options, reporter);
  if (options.dry_run) {
    RepackSummary summary{.outcome = RepackSummary::Outcome::planned};
    summary.estimate = plan.estimate;
    summary.input_bytes = input_bytes(plan);
    summary.planned_shards = plan.shards;
    return summary;
  }
  // Before the work: names that make cannot take are refused here.
  const std::string rules = dependencies(options, plan);
  RepackSummary summary = find_or_make(options, plan, workers, reporter);
  if (!rules.empty() && !summary.too_many_rejects) write_depfile(options.depfile, rules);
  return summary;
}

}  // namespace shardmill::commands
