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
#include "deal/even.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "repack/finished.hpp"
#include "repack/user_lists.hpp"

namespace shardmill::repack {

namespace {

/// dataset.json, without what the shards say.
manifest::DatasetRecord describe(const FinishedRun& finished) {
  const pipeline::IntakeCounts& counts = finished.counts;
  const RepackPlan& plan = finished.plan;
  manifest::DatasetRecord dataset;
  dataset.audio_bytes = counts.audio_bytes;
  for (const auto& [reason, count] : counts.left_out) dataset.rejects += reason == "by_weight" ? 0 : count;
  dataset.left_out = counts.left_out;
  dataset.parity = plan.recipe.parity;
  dataset.texts_cleaned = counts.texts_cleaned;
  dataset.reencoded = {.samples = counts.reencoded,
                       .clipped_samples = counts.clipped_samples,
                       .clipped_values = counts.clipped_values};
  if (plan.recipe.even != deal::Even::off) {
    const pipeline::Evened& evened = counts.evened;
    dataset.evened = {
        .left_out = {.samples = evened.left_out, .seconds = shard::seconds(evened.left_out_duration)},
        .repeated = {.samples = evened.repeated, .seconds = shard::seconds(evened.repeated_duration)},
        .repeated_keys = evened.repeated_keys};
  }
  for (const manifest::DatasetRecord::Doubt& doubt : counts.doubtful) {
    if (doubt.samples > 0) dataset.doubtful.push_back(doubt);
  }
  for (const pipeline::DatasetInput& input : plan.inputs.datasets) {
    manifest::DatasetRecord::Part part{.dataset = input.name, .weight = input.weight};
    const auto texts = counts.texts.find(part.dataset);
    part.with_text = texts == counts.texts.end() ? 0 : texts->second.with_text;
    if (const auto found = counts.subsets.find(part.dataset); found != counts.subsets.end()) {
      for (const auto& [subset, amount] : found->second)
        part.subsets[subset] = {.samples = amount.samples, .seconds = shard::seconds(amount.duration)};
    }
    dataset.datasets.push_back(part);
  }
  for (const source::GivenSource& given : plan.sources.given) {
    dataset.sources.push_back(
        {.dataset = given.dataset, .path = given.path, .files = given.files, .bytes = given.bytes});
  }
  dataset.inputs_xxh3 = plan.sources.digest();
  return dataset;
}

manifest::RunRecord run_record(const FinishedRun& finished, const pipeline::Workers& workers) {
  manifest::RunRecord run;
  describe_run(run, finished.options, finished.options.out_folder, finished.plan.recipe, finished.clock,
               workers);
  run.resumed = finished.resumed ? 1 : 0;
  run.max_rejects = finished.options.max_rejects;
  add_inputs(run, finished.plan.sources);
  return run;
}

std::string all_rejects(const std::vector<std::string>& reject_logs) {
  std::string all;
  for (const std::string& path : reject_logs) all += manifest::read_reject_lines(path);
  return all;
}

}  // namespace

RunClock::RunClock()
    : start_(std::chrono::steady_clock::now()),
      started_(fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))) {}

double RunClock::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<Error> mix_in(const manifest::DatasetRecord& dataset) {
  if (manifest::is_uniform(dataset)) return std::nullopt;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> samples;
  std::map<std::string, std::uint64_t> formats;
  for (const auto& kind : dataset.audio) {
    samples[{kind.sample_rate, kind.channels}] += kind.samples;
    formats[kind.format] += kind.samples;
  }
  std::string forms;
  const auto add = [&forms](std::uint64_t count, const std::string& form) {
    const std::string amount = count == 0 ? "" : base::format_count(count, "sample") + " of ";
    forms += fmt::format("{}{}{}", forms.empty() ? "" : ", ", amount, form);
  };
  for (const auto& [form, count] : samples) {
    if (samples.size() > 1)
      add(count, fmt::format("{} Hz and {}", form.first, base::format_count(form.second, "channel")));
  }
  const bool is_of_formats = samples.size() == 1;
  for (const auto& [format, count] : formats) {
    if (is_of_formats) add(count, format);
  }
  return Error("the audio is a mix: " + forms, {},
               is_of_formats ? "some loaders fail with that" : "most trainers fail with that",
               Remedy::one_audio_form_or_stop);
}

std::optional<deal::LeastSpread> least_spread_of(const manifest::DatasetRecord& dataset,
                                                 const std::string& manifest, Shares shares) {
  const auto& balance = dataset.balance;
  const auto spread = std::chrono::round<std::chrono::microseconds>(
      std::chrono::duration<double>(balance.max_seconds - balance.min_seconds));
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

void describe_run(manifest::RunRecord& run, const RunOptions& options, const std::string& folder,
                  const dataset::Recipe& recipe, const RunClock& clock, const pipeline::Workers& workers) {
  run.command = options.command;
  run.started = clock.started();
  run.seconds = clock.elapsed_seconds();
  const base::Machine machine = base::machine();
  run.host = machine.host;
  run.system = machine.system;
  run.cpu = machine.cpu;
  run.vector_path = base::name(base::chosen_vector_path());
  run.filesystem = base::filesystem_of(folder).mount.kind;
  run.cores = machine.usable_cores;
  run.threads = workers.threads();
  run.memory_bytes = workers.memory_bytes();
  run.list_root = dataset::list_root_in(recipe, folder);
  run.versions = dataset::all_versions(options.libraries);
}

void add_inputs(manifest::RunRecord& run, const source::SourceSet& sources) {
  for (const source::SourceDataset& dataset : sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        run.inputs.push_back(
            {.dataset = dataset.name, .path = file.path, .bytes = file.bytes, .mtime_ns = file.mtime_ns});
      }
    }
  }
}

FinishedShard finished_shard(const pipeline::PackedShard& packed, std::uint64_t tar_bytes,
                             shard::ShardTally tally) {
  FinishedShard shard{.record = {}, .tally = std::move(tally), .tar = packed.path, .manifest = {}};
  shard.record.bytes = packed.bytes;
  shard.record.tar_bytes = tar_bytes;
  shard.record.sha256 = packed.sha256;
  return shard;
}

std::vector<FinishedShard> pack(pipeline::Mill& mill, const dataset::Recipe& recipe,
                                pipeline::Workers& workers, base::Reporter& reporter) {
  reporter.phase(recipe.codec == codec::Codec::none ? "recording" : "compressing");
  const auto packed = pipeline::pack_shards(mill.spools(), encoder_options(recipe), workers, reporter);
  const auto states = mill.spools().states();
  std::vector<FinishedShard> shards;
  for (std::uint32_t i = 0; i < packed.size(); ++i) {
    FinishedShard& shard =
        shards.emplace_back(finished_shard(packed[i], states[i].tar_bytes, mill.tallies()[i]));
    shard.manifest = mill.spools().manifest_path(i);
    shard.manifest_check = states[i].manifest_check;
  }
  return shards;
}

Recorded record(FinishedRun&& finished, pipeline::Workers& workers, base::Reporter& reporter) {
  reporter.phase("recording");
  const RepackOptions& options = finished.options;
  const dataset::Recipe& recipe = finished.plan.recipe;
  const std::string ready = finished.work_folder + "/ready";
  WrittenRecords written = write_records({.folder = options.out_folder,
                                          .ready = ready,
                                          .recipe = recipe,
                                          .indexes = recipe.indexes,
                                          .shards = std::move(finished.shards),
                                          .forms = finished.counts.forms,
                                          .record = describe(finished),
                                          .run = run_record(finished, workers),
                                          .rejects = all_rejects(finished.reject_logs)},
                                         workers, reporter);
  if (const auto mix = mix_in(written.dataset)) reporter.warn(*mix);
  ListedSamples listed{.manifests = {base::inside(ready, manifest::kAllSamples)},
                       .rejects = {base::inside(ready, manifest::kRejects)},
                       .are_all = knows_all_keys(recipe.intake, finished.counts)};
  RepackSummary summary{.resumed = finished.resumed};
  summary.input_bytes = finished.plan.inputs.bytes();
  summary.dataset = std::move(written.dataset);
  summary.least_spread = least_spread_of(summary.dataset, listed.manifests.front(), Shares::alike);
  summary.counts = finished.counts;
  summary.losses = losses_in(listed.rejects.front());
  summary.max_rejects = options.max_rejects;
  summary.too_many_rejects = !is_within(summary.losses, options.max_rejects);
  date_for_make(base::inside(ready, manifest::kDataset), summary.too_many_rejects);
  summary.seconds = finished.clock.elapsed_seconds();
  return {.summary = std::move(summary), .renames = std::move(written.renames), .listed = std::move(listed)};
}

std::vector<TableMatch> compare_with_lists(const pipeline::IntakeOptions& intake, const ListedSamples& listed,
                                           base::Reporter& reporter) {
  if (listed.are_all) warn_of_unmatched_keys(intake.keys, listed, reporter);
  return account_of_tables(intake.tables, listed);
}

}  // namespace shardmill::repack
