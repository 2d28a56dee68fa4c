#include "repack/finish.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <map>
#include <utility>

#include "base/io/filesystem.hpp"
#include "base/io/folder.hpp"
#include "base/system/machine.hpp"
#include "base/system/vector_path.hpp"
#include "base/text/units.hpp"
#include "dataset/environment.hpp"
#include "dataset/publish.hpp"
#include "deal/even.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/user_lists.hpp"

namespace shardmill::repack {

namespace {

manifest::RunRecord run_record(const FinishedRun& finished, const RunClock& clock, bool resumed) {
  const RepackOptions& options = finished.options;
  manifest::RunRecord run;
  run.command = options.command;
  run.started = clock.started();
  run.seconds = clock.elapsed_seconds();
  run.resumed = resumed ? 1 : 0;
  const base::Machine machine = base::machine();
  run.host = machine.host;
  run.system = machine.system;
  run.cpu = machine.cpu;
  run.vector_path = base::name(base::chosen_vector_path());
  run.filesystem = base::filesystem_of(options.out_folder).mount.kind;
  run.cores = machine.usable_cores;
  run.threads = finished.workers.threads();
  run.memory_bytes = finished.workers.memory_bytes();
  run.max_rejects = options.max_rejects;
  run.list_root = list_root_of(options, finished.plan.recipe);
  run.versions = dataset::all_versions(options.libraries);
  for (const source::SourceDataset& dataset : finished.plan.sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        run.inputs.push_back(
            {.dataset = dataset.name, .path = file.path, .bytes = file.bytes, .mtime_ns = file.mtime_ns});
      }
    }
  }
  return run;
}

/// Warns of a mix of rates or channels, because it breaks training, often much later.
void warn_of_mix(const manifest::DatasetRecord& dataset, base::Reporter& reporter) {
  if (manifest::is_uniform(dataset)) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> samples;
  for (const auto& kind : dataset.audio) samples[{kind.sample_rate, kind.channels}] += kind.samples;
  std::string forms;
  for (const auto& [form, count] : samples) {
    forms +=
        fmt::format("{}{} of {} Hz and {}", forms.empty() ? "" : ", ", base::format_count(count, "sample"),
                    form.first, base::format_count(form.second, "channel"));
  }
  reporter.warn(Error("the audio is a mix: " + forms, {}, "most trainers stumble over that",
                      Remedy::one_audio_form_or_stop));
}

}  // namespace

RunClock::RunClock()
    : start_(std::chrono::steady_clock::now()),
      started_(fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))) {}

double RunClock::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<deal::LeastSpread> least_spread_of(const manifest::DatasetRecord& dataset,
                                                 const std::string& manifest, Shares shares) {
  const auto& balance = dataset.balance;
  const std::chrono::duration<double> spread(balance.max_seconds - balance.min_seconds);
  if (is_even(balance) || spread <= deal::kEvenSpread) return std::nullopt;
  std::map<std::string, std::uint32_t> datasets;
  std::vector<deal::HeldSample> samples;
  manifest::SampleRecord record;
  for (manifest::RecordReader reader(manifest); reader.next(record);) {
    const auto number = static_cast<std::uint32_t>(datasets.size());
    const std::string name = shares == Shares::alike ? record.dataset : std::string();
    samples.push_back({.dataset = datasets.try_emplace(name, number).first->second,
                       .duration = pipeline::duration_of(record.audio)});
  }
  return deal::least_spread(samples, dataset.shards);
}

codec::EncoderOptions encoder_options(const dataset::Recipe& recipe) {
  return {.codec = recipe.codec, .level = recipe.level, .seekable = recipe.seekable};
}

std::uint64_t input_bytes(const RepackPlan& plan) {
  return plan.inputs.bytes();
}

Recorded record(const FinishedRun& finished, const RunClock& clock, bool resumed) {
  const RepackOptions& options = finished.options;
  auto written = write_records(finished, run_record(finished, clock, resumed));
  finished.lock.check_held();
  const std::string ready = finished.work_folder + "/ready/";
  const repack::Losses losses = repack::losses_in(ready + std::string(manifest::kRejects));
  const bool too_many_rejects = !repack::is_within(losses, options.max_rejects);
  date_for_make(ready + std::string(manifest::kDataset), too_many_rejects);
  warn_of_mix(written.dataset, finished.reporter);
  Recorded recorded{.renames = std::move(written.renames), .summary = {.resumed = resumed}};
  RepackSummary& summary = recorded.summary;
  summary.input_bytes = input_bytes(finished.plan);
  summary.dataset = std::move(written.dataset);
  summary.least_spread =
      least_spread_of(summary.dataset, ready + std::string(manifest::kAllSamples), Shares::alike);
  summary.counts = finished.counts;
  summary.losses = losses;
  summary.max_rejects = options.max_rejects;
  summary.too_many_rejects = too_many_rejects;
  summary.seconds = clock.elapsed_seconds();
  return recorded;
}

std::vector<TableMatch> compare_with_lists(const pipeline::IntakeOptions& intake, const ListedSamples& listed,
                                           base::Reporter& reporter) {
  if (listed.are_all) warn_of_unmatched_keys(intake.keys, listed, reporter);
  return account_of_tables(intake.tables, listed);
}

RepackSummary record_and_publish(const FinishedRun& finished, const RunClock& clock, bool resumed) {
  Recorded recorded = record(finished, clock, resumed);
  const std::string ready = finished.work_folder + "/ready/";
  const pipeline::IntakeOptions& intake = finished.plan.recipe.intake;
  recorded.summary.tables = compare_with_lists(intake,
                                               {.manifests = {ready + std::string(manifest::kAllSamples)},
                                                .rejects = {ready + std::string(manifest::kRejects)},
                                                .are_all = knows_all_keys(intake, finished.counts)},
                                               finished.reporter);
  dataset::publish(finished.options.out_folder, recorded.renames);
  recorded.summary.seconds = clock.elapsed_seconds();
  return std::move(recorded.summary);
}

}  // namespace shardmill::repack
