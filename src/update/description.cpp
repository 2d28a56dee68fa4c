#include "update/description.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/io/file.hpp"
#include "base/io/filesystem.hpp"
#include "base/io/folder.hpp"
#include "base/system/machine.hpp"
#include "base/system/vector_path.hpp"
#include "dataset/environment.hpp"
#include "repack/finished.hpp"

namespace shardmill::update {

namespace {

/// Transcripts that shards got and lost, by dataset.
std::map<std::string, std::int64_t> text_changes(const Changes& changes) {
  std::map<std::string, std::int64_t> by_dataset;
  if (changes.staged) {
    for (const auto& [name, texts] : changes.staged->counts.texts)
      by_dataset[name] += static_cast<std::int64_t>(texts.with_text);
  }
  for (std::size_t i = 0; i < changes.decision.shard_of.size(); ++i) {
    const StockSample& sample = changes.stock.samples()[i];
    if (!sample.has_text) continue;
    std::int64_t& change = by_dataset[changes.stock.datasets()[sample.held.dataset]];
    // New samples are counted by now.
    const Store& store = changes.stock.stores()[sample.store];
    change -= store.shard != kNoShard || store.is_new ? 1 : 0;
    change += changes.decision.shard_of[i] != kNoShard ? 1 : 0;
  }
  return by_dataset;
}

/// Those that wait, too.
std::uint64_t samples_of(const manifest::DatasetRecord& dataset) {
  return dataset.samples + (dataset.pending ? dataset.pending->samples : 0);
}

/// What this update left out of its sources. Earlier runs had their own limits.
repack::Losses losses_of(const std::optional<Staged>& staged) {
  if (!staged || !base::exists(staged->reject_log)) return {};
  return repack::losses_in(staged->reject_log);
}

manifest::DatasetRecord::Update history(const Changes& changes) {
  manifest::DatasetRecord::Update update{.id = changes.request.id,
                                         .before = samples_of(*changes.request.records.dataset),
                                         .sources = changes.request.options.sources};
  if (changes.staged) {
    deal::Duration added{};
    for (const auto& [form, amount] : changes.staged->counts.forms) added += amount.duration;
    update.added = changes.staged->counts.taken;
    update.added_seconds = shard::seconds(added);
  }
  const repack::Losses losses = losses_of(changes.staged);
  update.lost = losses.samples;
  update.lost_files = losses.unknown_files;
  for (std::size_t i = 0; i < changes.decision.shard_of.size(); ++i) {
    const StockSample& sample = changes.stock.samples()[i];
    if (!sample.is_removed && changes.decision.shard_of[i] == kNoShard) ++update.pending;
  }
  update.removed = changes.stock.removed().samples;
  update.removed_seconds = shard::seconds(changes.stock.removed().duration);
  for (std::size_t shard = 0; shard < changes.decision.changed.size(); ++shard)
    (shard < changes.request.records.shards->size() ? update.rewritten_shards : update.new_shards) +=
        changes.decision.changed[shard] || shard >= changes.request.records.shards->size() ? 1 : 0;
  return update;
}

void add_intake(manifest::DatasetRecord& record, const Changes& changes) {
  const pipeline::IntakeCounts& counts = changes.staged->counts;
  for (const auto& [reason, count] : counts.left_out) {
    record.rejects += reason == "by_weight" ? 0 : count;
    record.left_out[reason] += count;
  }
  for (const manifest::DatasetRecord::Doubt& doubt : counts.doubtful) {
    if (doubt.samples > 0) record.doubtful.push_back(doubt);
  }
  record.texts_cleaned += counts.texts_cleaned;
  record.reencoded.samples += counts.reencoded;
  record.reencoded.clipped_samples += counts.clipped_samples;
  record.reencoded.clipped_values += counts.clipped_values;
  for (const pipeline::DatasetInput& input : changes.request.plan->inputs.datasets) {
    const bool is_known = std::any_of(record.datasets.begin(), record.datasets.end(),
                                      [&](const auto& part) { return part.dataset == input.name; });
    if (!is_known) record.datasets.push_back({.dataset = input.name, .weight = input.weight});
  }
  for (const source::GivenSource& given : changes.request.plan->sources.given) {
    record.sources.push_back(
        {.dataset = given.dataset, .path = given.path, .files = given.files, .bytes = given.bytes});
  }
}

}  // namespace

manifest::DatasetRecord describe(const Changes& changes) {
  manifest::DatasetRecord record = *changes.request.records.dataset;
  record.bytes = 0;
  record.tar_bytes = 0;
  record.pending.reset();
  if (changes.staged) add_intake(record, changes);
  const std::uint64_t removed = changes.stock.removed().samples;
  record.rejects += removed;
  if (removed != 0) record.left_out[std::string(name(manifest::RejectReason::removed))] += removed;
  for (const auto& [dataset, change] : text_changes(changes)) {
    for (auto& part : record.datasets) {
      if (part.dataset == dataset)
        part.with_text = static_cast<std::uint64_t>(static_cast<std::int64_t>(part.with_text) + change);
    }
  }
  // No longer what the sources alone say.
  record.inputs_xxh3 = base::xxh3_128(base::as_bytes(record.inputs_xxh3.hex() + changes.request.id.hex()));
  record.updates.push_back(history(changes));
  return record;
}

namespace {

/// The runs so far. A record that has no history is that of the last one.
std::vector<manifest::RunRecord::Event> runs_so_far(const dataset::DatasetRecords& records) {
  const manifest::RunRecord& run = *records.run;
  if (!run.history.empty()) return run.history;
  const auto& updates = records.dataset->updates;
  return {{.update = updates.empty() ? std::string() : updates.back().id.hex(),
           .command = run.command,
           .started = run.started,
           .seconds = run.seconds}};
}

}  // namespace

manifest::RunRecord describe_run(const Changes& changes, const repack::RunClock& clock,
                                 const pipeline::Workers& workers) {
  manifest::RunRecord run = *changes.request.records.run;
  run.history = runs_so_far(changes.request.records);
  run.command = changes.request.options.command;
  run.started = clock.started();
  run.seconds = clock.elapsed_seconds();
  run.history.push_back({.update = changes.request.id.hex(),
                         .command = run.command,
                         .started = run.started,
                         .seconds = run.seconds});
  const base::Machine machine = base::machine();
  run.host = machine.host;
  run.system = machine.system;
  run.cpu = machine.cpu;
  run.vector_path = base::name(base::chosen_vector_path());
  run.filesystem = base::filesystem_of(changes.request.options.folder).mount.kind;
  run.cores = machine.usable_cores;
  run.threads = workers.threads();
  run.memory_bytes = workers.memory_bytes();
  run.max_rejects = changes.request.max_rejects();
  run.list_root = changes.request.recipe.list_root.empty() ? base::canonical(changes.request.options.folder)
                                                           : changes.request.recipe.list_root;
  run.versions = dataset::all_versions(changes.request.options.libraries);
  if (!changes.request.plan) return run;
  for (const source::SourceDataset& dataset : changes.request.plan->sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        run.inputs.push_back(
            {.dataset = dataset.name, .path = file.path, .bytes = file.bytes, .mtime_ns = file.mtime_ns});
      }
    }
  }
  return run;
}

}  // namespace shardmill::update
