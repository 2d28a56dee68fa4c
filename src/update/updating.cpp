#include "update/updating.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "base/text/units.hpp"
#include "check/separate_splits.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/mill.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/survey.hpp"
#include "repack/finished.hpp"
#include "update/decision.hpp"
#include "update/old_rejects.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

namespace {

/// A dataset whose shards hold the same number of samples stays so, or stays as it is.
void check_even(const Request& request, const std::vector<UpdatedShard>& shards) {
  if (request.recipe.even == deal::Even::off) return;
  const auto samples = [](const UpdatedShard& shard) { return shard.contents.tally().samples(); };
  for (const UpdatedShard& shard : shards) {
    if (samples(shard) == samples(shards.front())) continue;
    throw Error(
        fmt::format(
            "all shards of this dataset hold the same number of samples, and now they would hold {} to {}",
            std::min(samples(shard), samples(shards.front())),
            std::max(samples(shard), samples(shards.front()))),
        at(request.options.folder), "nothing was changed; make the dataset again with repack");
  }
}

/// Whether samples with their keys are or were in the dataset. Filters may have left out others.
bool are_known_or_unwanted(const pipeline::IntakeCounts& counts) {
  using manifest::RejectReason;
  bool is_any_known = false;
  for (const auto& [name, count] : counts.left_out) {
    const auto reason = manifest::reject_reason(name);
    if (reason && is_error(*reason)) return false;
    is_any_known = is_any_known || reason == RejectReason::duplicate_key || reason == RejectReason::removed ||
                   reason == RejectReason::changed;
  }
  return is_any_known;
}

/// The samples that a file of rejects lists, with the reasons, but for duplicates.
std::set<std::string> listed_samples(const std::string& path) {
  std::set<std::string> samples;
  manifest::RecordReader reader(path);
  for (manifest::Reject reject; reader.next(reject);) {
    if (reject.reason != manifest::RejectReason::duplicate_key)
      samples.insert(fmt::format("{}\n{}\n{}\n{}", name(reject.reason), reject.dataset,
                                 reject.key.value_or(""), reject.member.value_or("")));
  }
  return samples;
}

/// Rank lists and reports of the old dataset, which fit no more; publish() removes them.
std::vector<std::string> derived_files(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& name : dataset::dataset_file_names(folder)) {
    const bool is_derived =
        name.starts_with(std::string(manifest::kRankFolder) + "/") || name == manifest::kReport;
    if (is_derived && base::exists(base::inside(folder, name))) names.push_back(name);
  }
  return names;
}

constexpr std::uint64_t kHashedBytes = 1 << 20;  // of a file at a time

}  // namespace

Updating::Updating(const UpdateOptions& options, std::shared_ptr<Removal> removal, pipeline::Workers& workers,
                   base::Reporter& reporter)
    : workers_(workers), reporter_(reporter), request_(look_up(options, std::move(removal), reporter)) {}

UpdateSummary Updating::already_done() const {
  UpdateSummary summary{.outcome = UpdateSummary::Outcome::already_done};
  summary.dataset = *request_.records.dataset;
  summary.update = summary.dataset.updates.back();
  summary.waiting = summary.dataset.pending ? summary.dataset.pending->samples : 0;
  judge(summary);
  return summary;
}

UpdateSummary Updating::nothing_new(const pipeline::IntakeCounts& counts) const {
  UpdateSummary summary{.outcome = UpdateSummary::Outcome::nothing_new};
  summary.dataset = *request_.records.dataset;
  summary.waiting = summary.dataset.pending ? summary.dataset.pending->samples : 0;
  summary.left_out = counts.left_out;
  summary.max_rejects = request_.max_rejects();
  return summary;
}

void Updating::read_manifests() {
  reporter_.phase("reading manifests");
  check_manifests();
  facts_ = read_facts(request_.records, request_.removal.get(), workers_, reporter_);
}

UpdateSummary Updating::dry_run() const {
  return update::dry_run(request_, facts_, workers_, reporter_);
}

PreparedUpdate Updating::prepare() {
  check_protected_shards();
  const std::optional<Staged> staged = read_sources();
  if (staged && tells_nothing_new(*staged))
    return {.summary = nothing_new(staged->counts), .renames = {}, .kept = {}};
  reporter_.phase("dealing");
  Stock stock = first_stock(request_, facts_, staged);
  const Decision decision = decide(request_, facts_, stock);
  reporter_.phase("writing shards");
  const Rewritten rewritten = rewrite(request_, facts_, decision, stock, workers_, reporter_);
  reporter_.phase("recording");
  return record({.request = request_,
                 .staged = staged,
                 .stock = stock,
                 .decision = decision,
                 .old_rejects = read_old_rejects(request_, staged)},
                rewritten);
}

/// What they say goes into new records, with new checksums: damage would never be found again.
void Updating::check_manifests() const {
  const dataset::DatasetRecords& old = request_.records;
  std::vector<manifest::Checksum> sums;
  for (const auto& [path, sha256] : *old.checksums) {
    if (manifest::is_below(path, manifest::kManifestFolder) || path == manifest::kPendingManifest ||
        path == manifest::kRejects)
      sums.push_back({.sha256 = sha256, .path = path});
  }
  workers_.for_each(
      sums.size(), [&](std::size_t i) { check_holds(old.path(sums[i].path), sums[i].sha256); }, kHashedBytes);
}

void Updating::check_holds(const std::string& path, const std::string& sha256) const {
  reporter_.check_stop();
  if (dataset::holds_just(path, sha256)) return;
  throw Error("is damaged: its SHA-256 is not the recorded one", at(path),
              fmt::format("nothing was changed; shardmill repair {} makes it again",
                          base::shell_quoted(request_.records.folder)));
}

/// Parity is computed of all shards, also of those that are not read otherwise. Parity of a damaged shard
/// restores nothing.
void Updating::check_protected_shards() const {
  const dataset::DatasetRecords& old = request_.records;
  if (old.dataset->parity == 0) return;
  reporter_.phase("checking shards");
  const std::vector<manifest::ShardRecord>& shards = *old.shards;
  workers_.for_each(
      shards.size(), [&](std::size_t i) { check_holds(old.path(shards[i].path), shards[i].sha256); },
      kHashedBytes);
}

std::optional<Staged> Updating::read_sources() {
  if (!request_.plan) return std::nullopt;
  reporter_.phase("");
  Known known{.keys = facts_.keys, .withheld = {}, .sounds = {}};
  if (!request_.options.take_back)
    known.withheld = withheld_from(request_.records.folder, request_.removed_samples(),
                                   request_.keys_are_shared(), reporter_);
  if (request_.recipe.intake.form.hearing.sound) {
    base::make_folders(request_.work);
    known.sounds =
        sounds_of(request_.records, request_.removed_samples(), request_.work + "/sounds", reporter_);
  }
  Staged staged = stage_sources(known);
  warn_of_changed(staged);
  if (!staged.has_samples()) return staged;
  compare(staged);
  return staged;
}

/// Has no samples if there are no new ones.
Staged Updating::stage_sources(const Known& known) {
  const std::string folder = request_.work + "/stage";
  try {
    return stage(*request_.plan, request_.options, folder, request_.fingerprint(), known, workers_,
                 reporter_);
  } catch (const pipeline::NoSamplesLeft& error) {
    if (!are_known_or_unwanted(error.counts())) throw;
    return {
        .tar = {}, .manifest = {}, .reject_log = pipeline::reject_log_path(folder), .counts = error.counts()};
  }
}

/// False if a sample is left out for the first time: rejects.jsonl must list it.
bool Updating::tells_nothing_new(const Staged& staged) const {
  if (staged.has_samples() || request_.removal) return false;
  if (!base::exists(staged.reject_log)) return true;
  const auto before = listed_samples(request_.records.path(manifest::kRejects));
  const auto now = listed_samples(staged.reject_log);
  return std::includes(before.begin(), before.end(), now.begin(), now.end());
}

void Updating::warn_of_changed(const Staged& staged) {
  const auto changed = staged.counts.left_out.find(std::string(name(manifest::RejectReason::changed)));
  if (changed == staged.counts.left_out.end()) return;
  reporter_.warn(Error(fmt::format("keeps the old form of {}, which the sources have with other audio or "
                                   "another transcript: they are listed in rejects.jsonl",
                                   base::format_count(changed->second, "sample")),
                       at(request_.options.folder), Remedy::replace_changed));
}

/// The same command would fail again, so nothing of it is kept.
void Updating::compare(const Staged& staged) {
  try {
    tables_ = match_tables(request_.options, *request_.plan, staged);
    if (const auto siblings = check::SplitSiblings::of(request_.options.folder, reporter_))
      siblings->check({staged.manifest}, reporter_);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    base::remove_tree(request_.work);
    throw;
  }
}

std::string Updating::rejects(const Changes& changes) const {
  std::string text = changes.old_rejects.text;
  if (changes.staged && base::exists(changes.staged->reject_log))
    text += manifest::read_reject_lines(changes.staged->reject_log);
  for (const manifest::Reject& reject : changes.stock.removed().rejects) append_line(text, reject);
  return text;
}

namespace {

/// With the datasets of the record, in their order.
shard::ShardTally tally_of(const UpdatedShard& shard, const manifest::DatasetRecord& record) {
  shard::ShardTally tally = shard.contents.tally();
  // The manifest of a shard that stays need not hold its transcripts.
  if (!shard.files.is_new) tally.with_text = shard.files.record.with_text;
  tally.datasets.clear();
  for (const auto& part : record.datasets) {
    const auto found = shard.contents.datasets.find(part.dataset);
    tally.datasets.push_back(found == shard.contents.datasets.end() ? shard::ShardTally::Share{}
                                                                    : found->second);
  }
  return tally;
}

repack::FinishedShard finished(const UpdatedShard& shard, const manifest::DatasetRecord& record) {
  repack::FinishedShard files = shard.files;
  files.tally = tally_of(shard, record);
  return files;
}

/// Adds what the shards say of the samples in them.
void add_contents(const std::vector<UpdatedShard>& shards, repack::FinishedDataset& dataset) {
  dataset.record.audio_bytes = 0;
  for (const UpdatedShard& shard : shards) {
    dataset.shards.push_back(finished(shard, dataset.record));
    dataset.record.audio_bytes += shard.contents.audio_bytes;
    for (const auto& [form, amount] : shard.contents.forms) {
      dataset.forms[form].samples += amount.samples;
      dataset.forms[form].duration += amount.duration;
    }
  }
}

}  // namespace

/// The recipe of the dataset, with the tables and rules of the update.
dataset::Recipe Updating::updated_recipe(const Changes& changes) const {
  dataset::Recipe recipe = dataset::recipe_of(request_.records.dataset->options);
  if (request_.plan) {
    add_tables(request_.plan->recipe.intake.tables, recipe.intake.tables);
    add_tables(request_.plan->recipe.intake.labels, recipe.intake.labels);
    recipe.intake.tree.text_fields = request_.plan->recipe.intake.tree.text_fields;
    recipe.intake.speakers = request_.plan->recipe.intake.speakers;
  }
  recipe.sizing.amount = changes.decision.shards;
  return recipe;
}

PreparedUpdate Updating::record(const Changes& changes, const Rewritten& rewritten) {
  check_even(request_, rewritten.shards);
  const dataset::Recipe recipe = updated_recipe(changes);
  const std::string ready = ready_folder(request_);
  repack::FinishedDataset updated{.folder = request_.records.folder,
                                  .ready = ready,
                                  .recipe = recipe,
                                  .indexes = dataset::forms_of(request_.records),
                                  .shards = {},
                                  .forms = {},
                                  .record = describe(changes),
                                  .run = describe_run(changes, clock_, workers_),
                                  .rejects = rejects(changes)};
  add_contents(rewritten.shards, updated);
  if (rewritten.pending) updated.pending = finished(*rewritten.pending, updated.record);
  repack::WrittenRecords written = repack::write_records(updated, workers_, reporter_);
  PreparedUpdate prepared{
      .summary = {}, .renames = std::move(written.renames), .kept = std::move(written.kept)};
  UpdateSummary& summary = prepared.summary;
  summary.dataset = std::move(written.dataset);
  judge(summary);
  repack::date_for_make(base::inside(ready, manifest::kDataset), summary.too_many_rejects);
  summary.dropped = derived_files(request_.records.folder);
  tell(summary, changes, rewritten);
  if (keeps_shares(summary)) summary.shares = repack::Shares::alike;
  summary.least_spread =
      repack::least_spread_of(summary.dataset, base::inside(ready, manifest::kAllSamples), summary.shares);
  return prepared;
}

/// Whether each shard had to get its share of every dataset, and did.
bool Updating::keeps_shares(const UpdateSummary& summary) const {
  return request_.options.mix != Wishes::Mix::may_differ &&
         std::ranges::all_of(summary.mix,
                             [](const auto& part) { return part.second.most - part.second.fewest <= 1; });
}

void Updating::judge(UpdateSummary& summary) const {
  summary.losses = repack::losses_of_last_run(summary.dataset, request_.records.path(manifest::kRejects));
  summary.max_rejects = request_.max_rejects();
  summary.too_many_rejects = !repack::is_within(summary.losses, summary.max_rejects);
}

void Updating::tell(UpdateSummary& summary, const Changes& changes, const Rewritten& rewritten) const {
  summary.update = summary.dataset.updates.back();
  summary.tables = tables_;
  summary.written_bytes = rewritten.bytes;
  summary.is_held_back = changes.decision.is_held_back;
  if (changes.staged) {
    if (changes.staged->has_samples())
      summary.written_bytes += base::File::open_read(changes.staged->tar).size();
    summary.left_out = changes.staged->counts.left_out;
  }
  if (changes.decision.shards < request_.old_shards())
    summary.removed_shards = request_.old_shards() - changes.decision.shards;
  summary.waiting = rewritten.pending ? rewritten.pending->contents.tally().samples() : 0;
  for (const auto& part : summary.dataset.datasets) {
    MixRange& range = summary.mix[part.dataset];
    range.fewest = part.samples;
    for (const UpdatedShard& shard : rewritten.shards) {
      const auto found = shard.contents.datasets.find(part.dataset);
      const std::uint64_t samples = found == shard.contents.datasets.end() ? 0 : found->second.samples;
      range.fewest = std::min(range.fewest, samples);
      range.most = std::max(range.most, samples);
    }
  }
}

namespace {

double seconds_of(const std::vector<deal::HeldSample>& samples) {
  Duration sum{};
  for (const deal::HeldSample& sample : samples) sum += sample.duration;
  return shard::seconds(sum);
}

struct Amount {
  double samples = 0;
  double seconds = 0;
};

std::vector<Amount> amounts_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                               base::Reporter& reporter) {
  std::vector<Amount> amounts(names.size());
  const auto estimates = pipeline::survey(plan.inputs, plan.recipe.intake, reporter).estimates;
  for (std::size_t i = 0; i < plan.inputs.streams.size(); ++i) {
    // The parts of a finished dataset are not counted: each of them counts as large as the others.
    const auto& datasets = plan.inputs.streams[i].datasets;
    const auto share = 1.0 / static_cast<double>(std::max<std::size_t>(1, datasets.size()));
    for (const std::uint32_t dataset : datasets) {
      const auto name = std::find(names.begin(), names.end(), plan.inputs.datasets[dataset].name);
      Amount& amount = amounts[static_cast<std::size_t>(name - names.begin())];
      amount.samples += share * static_cast<double>(estimates[i].samples);
      amount.seconds += share * static_cast<double>(estimates[i].seconds);
    }
  }
  return amounts;
}

/// Samples such as the sources may hold, with datasets by their places in `names`, from a look at the first
/// samples of some of the files. The same for the same sources.
Expected expected_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                     double bytes_a_second, base::Reporter& reporter) {
  const std::vector<Amount> amounts = amounts_of(plan, names, reporter);
  Expected expected;
  std::mt19937_64 random(1);
  double seconds = 0;
  for (std::uint32_t dataset = 0; dataset < amounts.size(); ++dataset) {
    const auto samples = std::llround(amounts[dataset].samples);
    if (samples <= 0) continue;
    seconds += amounts[dataset].seconds;
    const double mean_ns = amounts[dataset].seconds / static_cast<double>(samples) * 1e9;
    // From half to one and a half of the mean: samples of one length could not be balanced.
    constexpr std::uint64_t kSteps = 1 << 20;
    for (long long i = 0; i < samples; ++i) {
      const double factor = 0.5 + static_cast<double>(random() % kSteps) / kSteps;
      expected.samples.push_back(
          {.dataset = dataset, .duration = Duration(static_cast<std::int64_t>(mean_ns * factor))});
    }
  }
  expected.bytes = static_cast<std::uint64_t>(seconds * bytes_a_second);
  return expected;
}

Expected expected(const Request& request, const Stock& stock, base::Reporter& reporter) {
  if (!request.plan) return {};
  reporter.phase("looking at the sources");
  const manifest::DatasetRecord& old = *request.records.dataset;
  return expected_of(*request.plan, stock.datasets(),
                     old.seconds > 0 ? static_cast<double>(old.tar_bytes) / old.seconds : 0, reporter);
}

UpdateSummary foretell(const Request& request, const Facts& facts, base::Reporter& reporter) {
  Stock stock = first_stock(request, facts, std::nullopt);
  const Expected added = expected(request, stock, reporter);
  const Decision decision = decide(request, facts, stock, added);
  const manifest::DatasetRecord& old = *request.records.dataset;
  UpdateSummary summary{.outcome = UpdateSummary::Outcome::planned, .dataset = old};
  manifest::DatasetRecord::Update& update = summary.update;
  update.removed = stock.removed().samples;
  update.removed_seconds = shard::seconds(stock.removed().duration);
  update.added = added.samples.size();
  update.added_seconds = seconds_of(added.samples);
  update.pending = decision.waiting;
  for (std::uint32_t shard = 0; shard < decision.shards; ++shard) {
    if (decision.changed[shard])
      ++(shard < request.old_shards() ? update.rewritten_shards : update.new_shards);
  }
  if (decision.shards < request.old_shards()) summary.removed_shards = request.old_shards() - decision.shards;
  const std::uint64_t all =
      old.samples + (old.pending ? old.pending->samples : 0) - update.removed + update.added;
  summary.waiting = decision.waiting;
  summary.dataset.shards = decision.shards;
  summary.dataset.samples = all - decision.waiting;
  const double changed = static_cast<double>(update.rewritten_shards + update.new_shards);
  const double shards = changed / static_cast<double>(decision.shards);
  const double written =
      shards * static_cast<double>(all - decision.waiting) + static_cast<double>(decision.waiting);
  summary.written_bytes = added.bytes + static_cast<std::uint64_t>(written * static_cast<double>(old.bytes) /
                                                                   static_cast<double>(old.samples));
  return summary;
}

/// Only a look at every sample tells whether one may not be added.
void check_siblings(const Request& request, pipeline::Workers& workers, base::Reporter& reporter) {
  const auto siblings = check::SplitSiblings::of(request.options.folder, reporter);
  if (!siblings) return;
  const repack::RepackPlan& plan = *request.plan;
  pipeline::ReadThrough how{.inputs = plan.inputs,
                            .intake = plan.recipe.intake,
                            .interleave = plan.recipe.interleave,
                            .seed = plan.recipe.seed};
  how.intake.form = {.hearing = {.quality = plan.recipe.intake.form.hearing.quality}};
  reporter.phase("comparing the sources with the other datasets of the split");
  reporter.progress().input_bytes_total = plan.inputs.bytes();
  pipeline::read_through(how, workers, reporter,
                         [&](const pipeline::Utterance& utterance) { siblings->check(utterance.record); });
  reporter.progress().input_bytes = 0;
  reporter.progress().input_bytes_total = 0;
}

}  // namespace

UpdateSummary dry_run(const Request& request, const Facts& facts, pipeline::Workers& workers,
                      base::Reporter& reporter) {
  if (request.plan) check_siblings(request, workers, reporter);
  return foretell(request, facts, reporter);
}

}  // namespace shardmill::update
