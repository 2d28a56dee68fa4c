#include "update/decision.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/filesystem.hpp"
#include "base/io/folder.hpp"
#include "base/system/machine.hpp"
#include "base/system/vector_path.hpp"
#include "dataset/environment.hpp"
#include "manifest/layout.hpp"
#include "repack/finished.hpp"
#include "update/arrangement.hpp"

namespace shardmill::update {

namespace {

void open_shard(const Request& request, std::uint32_t shard, Stock& stock) {
  if (stock.holds_shard(shard)) return;
  stock.add({.tar = request.records.path((*request.records.shards)[shard].path),
             .manifest = manifest_path(request.records, shard),
             .shard = shard},
            request.removed_samples());
}

class Deciding {
 public:
  Deciding(const Request& request, const Facts& facts, Stock& stock, const Expected& expected)
      : request_(request), facts_(facts), stock_(stock), expected_(expected) {}

  Decision run() {
    if (facts_.keys->size() == 0 && free_samples().empty())
      throw Error("no sample would be left", at(request_.options.folder), "nothing was changed");
    const std::vector<deal::HeldSample> free = free_samples();
    try {
      return carried_out(arrange(old_shards(), free, wishes(), [this](std::uint32_t shard) {
        open_shard(request_, shard, stock_);
        std::vector<deal::HeldSample> samples;
        for (const std::uint32_t i : stock_.samples_of_shard(shard))
          samples.push_back(stock_.samples()[i].held);
        return samples;
      }));
    } catch (const TooFewSamples& error) {
      throw Error(error.problem(), at(request_.options.folder),
                  "nothing was changed; shardmill repack makes a dataset with fewer shards of this one");
    }
  }

 private:
  Wishes wishes() const {
    const manifest::DatasetRecord& dataset = *request_.records.dataset;
    return {.mix = request_.options.mix,
            .equal = request_.recipe.even != deal::Even::off,
            .multiple_of = request_.recipe.sizing.multiple_of,
            .shard_samples = static_cast<double>(dataset.samples) / static_cast<double>(dataset.shards),
            .free_bytes = free_bytes(),
            .limit = request_.options.rewrite_limit};
  }

  std::uint64_t free_bytes() const {
    std::uint64_t bytes = expected_.bytes;
    for (const Store& store : stock_.stores()) {
      if (store.shard == kNoShard) bytes += base::File::open_read(store.tar).size();
    }
    return bytes;
  }

  /// Samples of the stock that are in no shard, then the expected ones.
  std::vector<deal::HeldSample> free_samples() {
    std::vector<deal::HeldSample> free;
    free_.clear();
    for (std::uint32_t i = 0; i < stock_.samples().size(); ++i) {
      const StockSample& sample = stock_.samples()[i];
      if (sample.is_removed || stock_.stores()[sample.store].shard != kNoShard) continue;
      free_.push_back(i);
      free.push_back(sample.held);
    }
    free.insert(free.end(), expected_.samples.begin(), expected_.samples.end());
    return free;
  }

  std::vector<OldShard> old_shards() const {
    std::vector<OldShard> old;
    for (std::uint32_t number = 0; number < facts_.shards.size(); ++number) {
      OldShard& shard = old.emplace_back();
      shard.bytes = (*request_.records.shards)[number].tar_bytes;
      for (const std::string& name : stock_.datasets()) {
        const auto found = facts_.shards[number].datasets.find(name);
        const bool has_some = found != facts_.shards[number].datasets.end();
        shard.counts.push_back(has_some ? found->second.samples : 0);
        if (has_some) shard.time += found->second.duration;
      }
    }
    for (const std::uint32_t number : facts_.with_removed) old[number].has_lost = true;
    for (const StockSample& sample : stock_.samples()) {
      const std::uint32_t number = stock_.stores()[sample.store].shard;
      if (!sample.is_removed || number == kNoShard) continue;
      --old[number].counts[sample.held.dataset];
      old[number].time -= sample.held.duration;
    }
    return old;
  }

  Decision carried_out(const Arrangement& arrangement) {
    Decision decision{.shards = arrangement.shards,
                      .shard_of = std::vector<std::uint32_t>(stock_.samples().size(), kNoShard),
                      .changed = {},
                      .waiting = arrangement.waiting(),
                      .is_held_back = arrangement.is_held_back};
    for (std::size_t i = 0; i < free_.size(); ++i) decision.shard_of[free_[i]] = arrangement.free_to[i];
    std::vector<bool> is_opened(request_.old_shards(), false);
    std::size_t next = 0;
    for (const std::uint32_t shard : arrangement.opened) {
      is_opened[shard] = true;
      for (const std::uint32_t i : stock_.samples_of_shard(shard))
        decision.shard_of[i] = arrangement.opened_to[next++];
    }
    // Shards that were opened for an attempt that failed stay as they are.
    for (std::size_t i = 0; i < stock_.samples().size(); ++i) {
      const std::uint32_t shard = stock_.stores()[stock_.samples()[i].store].shard;
      if (shard != kNoShard && !is_opened[shard]) decision.shard_of[i] = shard;
    }
    for (std::uint32_t shard = 0; shard < decision.shards; ++shard)
      decision.changed.push_back(shard >= request_.old_shards() || is_opened[shard]);
    return decision;
  }

  const Request& request_;
  const Facts& facts_;
  Stock& stock_;
  const Expected& expected_;
  std::vector<std::uint32_t> free_;  // samples of the stock that are in no shard
};

}  // namespace

Stock first_stock(const Request& request, const Facts& facts, const std::optional<Staged>& staged) {
  Stock stock(request.dataset_names());
  if (request.records.dataset->pending) {
    stock.add({.tar = request.records.path(manifest::kPendingTar),
               .manifest = request.records.path(manifest::kPendingManifest)},
              request.removed_samples());
  }
  if (staged && staged->has_samples())
    stock.add({.tar = staged->tar, .manifest = staged->manifest, .is_new = true}, nullptr);
  for (const std::uint32_t shard : facts.with_removed) open_shard(request, shard, stock);
  return stock;
}

Decision decide(const Request& request, const Facts& facts, Stock& stock, const Expected& expected) {
  return Deciding(request, facts, stock, expected).run();
}

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

/// Of lines in rejects.jsonl.
void change_reason(std::uint64_t lines, manifest::RejectReason from, manifest::RejectReason to,
                   manifest::DatasetRecord& record) {
  if (lines == 0) return;
  const auto old = record.left_out.find(std::string(name(from)));
  if (old == record.left_out.end()) return;
  old->second -= std::min(lines, old->second);
  if (old->second == 0) record.left_out.erase(old);
  record.left_out[std::string(name(to))] += lines;
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
  change_reason(changes.old_rejects.taken_back, manifest::RejectReason::removed,
                manifest::RejectReason::duplicate_key, record);
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
  repack::describe_run(run, changes.request.options, changes.request.options.folder, changes.request.recipe,
                       clock, workers);
  run.history.push_back({.update = changes.request.id.hex(),
                         .command = run.command,
                         .started = run.started,
                         .seconds = run.seconds});
  run.max_rejects = changes.request.max_rejects();
  if (changes.request.plan) repack::add_inputs(run, changes.request.plan->sources);
  return run;
}

}  // namespace shardmill::update
