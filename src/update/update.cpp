#include "update/update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "check/separate_splits.hpp"
#include "check/split_siblings.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "pipeline/withheld.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "update/decision.hpp"
#include "update/description.hpp"
#include "update/dry_run.hpp"
#include "update/facts.hpp"
#include "update/folder.hpp"
#include "update/records.hpp"
#include "update/request.hpp"
#include "update/rewrite.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"
#include "update/tables.hpp"

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

constexpr std::uint64_t kHashedBytes = 1 << 20;  // of a file at a time

class Updating {
 public:
  Updating(const UpdateOptions& options, pipeline::Workers& workers, base::Reporter& reporter)
      : workers_(workers), reporter_(reporter), request_(look_up(options, reporter)) {}

  bool is_done() const { return request_.is_done(); }

  UpdateSummary already_done() const {
    UpdateSummary summary{.outcome = UpdateSummary::Outcome::already_done};
    summary.dataset = *request_.records.dataset;
    summary.update = summary.dataset.updates.back();
    judge(summary);
    return summary;
  }

  UpdateSummary dry_run() const { return update::dry_run(request_, workers_, reporter_); }

  UpdateSummary run(const base::WriterLock& lock) {
    check_protected_shards();
    reporter_.phase("reading manifests");
    Facts facts = read_facts(request_.records, request_.removed_keys(), request_.options.remove_keys,
                             workers_, reporter_);
    const std::optional<Staged> staged = read_sources(facts);
    reporter_.phase("dealing");
    Stock stock = first_stock(request_, facts, staged);
    const Decision decision = decide(request_, facts, stock);
    reporter_.phase("writing shards");
    const Rewritten rewritten = rewrite(request_, facts, staged, decision, stock, workers_, reporter_);
    reporter_.phase("recording");
    return publish({.request = request_, .staged = staged, .stock = stock, .decision = decision}, rewritten,
                   lock);
  }

 private:
  /// Parity is computed of all shards, also of those that nobody reads again. From a damaged one comes parity
  /// that restores nothing.
  void check_protected_shards() {
    const dataset::DatasetRecords& old = request_.records;
    if (old.dataset->parity == 0) return;
    reporter_.phase("checking shards");
    const std::vector<manifest::ShardRecord>& shards = *old.shards;
    workers_.for_each(
        shards.size(),
        [&](std::size_t i) {
          reporter_.check_stop();
          const std::string path = old.path(shards[i].path);
          if (dataset::holds_just(path, shards[i].sha256)) return;
          throw Error("is damaged: its SHA-256 is not the recorded one", at(path),
                      fmt::format("nothing was changed; shardmill repair {} makes it again", old.folder));
        },
        kHashedBytes);
  }

  std::optional<Staged> read_sources(Facts& facts) {
    if (!request_.plan) return std::nullopt;
    reporter_.phase("");
    Known known{.keys = facts.keys, .withheld = {}, .sounds = {}};
    if (request_.recipe.intake.on_duplicate == pipeline::OnDuplicate::first && !request_.options.take_back)
      known.withheld = pipeline::removed_before(request_.records.path(manifest::kRejects));
    if (request_.recipe.intake.form.hearing.sound) {
      base::make_folders(request_.work);
      known.sounds =
          sounds_of(request_.records, request_.removed_keys(), request_.work + "/sounds", reporter_);
    }
    Staged staged = stage(*request_.plan, request_.options, request_.work + "/stage", request_.fingerprint(),
                          known, shards_to_fill(request_, facts), workers_, reporter_);
    compare(staged);
    for (const StagedShard& shard : staged.shards) facts.shards.push_back(contents_of(shard.manifest));
    return staged;
  }

  /// The same command would fail again, so nothing of it is kept.
  void compare(const Staged& staged) {
    try {
      tables_ = match_tables(request_.options, *request_.plan, staged);
      if (const auto siblings = check::SplitSiblings::of(request_.options.folder, reporter_))
        siblings->check(manifests_of(staged), reporter_);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error&) {
      base::remove_tree(request_.work);
      throw;
    }
  }

  std::string rejects(const Changes& changes) const {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;
    std::string text = base::read_text(request_.records.path(manifest::kRejects), kMostBytes);
    if (changes.staged && base::exists(changes.staged->reject_log))
      text += base::read_text(changes.staged->reject_log, kMostBytes);
    for (const manifest::Reject& reject : changes.stock.removed().rejects) append_line(text, reject);
    return text;
  }

  UpdateSummary publish(const Changes& changes, const Rewritten& rewritten, const base::WriterLock& lock) {
    const UpdateOptions& options = request_.options;
    UpdatedDataset updated{.old = request_.records,
                           .recipe = dataset::recipe_of(request_.records.dataset->options),
                           .shards = rewritten.shards,
                           .pending = rewritten.pending,
                           .record = describe(changes),
                           .run = describe_run(changes, clock_, workers_),
                           .rejects = rejects(changes)};
    check_even(request_, updated.shards);
    if (request_.plan) add_tables(request_.plan->recipe.intake.tables, updated.recipe.intake.tables);
    updated.recipe.sizing.amount = changes.decision.shards;
    const std::string ready = ready_folder(request_);
    base::make_folders(ready);
    UpdatedRecords written = write_records(updated, ready, workers_, reporter_);
    lock.check_held();
    UpdateSummary summary;
    summary.dataset = std::move(written.dataset);
    judge(summary);
    repack::date_for_make(ready + "/" + std::string(manifest::kDataset), summary.too_many_rejects);
    dataset::publish(options.folder, written.renames, written.kept);
    tell(summary, changes, rewritten, std::move(written));
    return summary;
  }

  void judge(UpdateSummary& summary) const {
    summary.losses = repack::losses_of_last_run(summary.dataset, request_.records.path(manifest::kRejects));
    summary.max_rejects = request_.max_rejects();
    summary.too_many_rejects = !repack::is_within(summary.losses, summary.max_rejects);
  }

  void tell(UpdateSummary& summary, const Changes& changes, const Rewritten& rewritten,
            UpdatedRecords&& written) const {
    summary.update = summary.dataset.updates.back();
    summary.tables = tables_;
    summary.dropped = std::move(written.dropped);
    summary.written_bytes = rewritten.bytes;
    if (changes.staged) {
      for (const Staged::Tar& other : changes.staged->others)
        summary.written_bytes += base::File::open_read(other.tar).size();
      for (const StagedShard& shard : changes.staged->shards) summary.written_bytes += shard.packed.bytes;
      summary.left_out = changes.staged->counts.left_out;
    }
    if (changes.decision.shards < request_.old_shards())
      summary.removed_shards = request_.old_shards() - changes.decision.shards;
    summary.shard_seconds = summary.dataset.balance.mean_seconds;
    if (!rewritten.pending) return;
    for (const auto& part : summary.dataset.datasets)
      summary.waiting[part.dataset].per_shard = part.samples / summary.dataset.shards;
    for (const auto& [name, share] : rewritten.pending->contents.datasets)
      summary.waiting[name].waiting = share.samples;
  }

  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  repack::RunClock clock_;
  std::vector<repack::TableMatch> tables_;
  Request request_;
};

}  // namespace

UpdateSummary update_dataset(const UpdateOptions& given, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  const repack::RunClock clock;
  UpdateOptions options = given;
  while (options.folder.size() > 1 && options.folder.ends_with('/')) options.folder.pop_back();
  check_folder(options.folder);
  const std::string work = repack::work_folder_of(options.folder);
  repack::RepackOptions how;
  how.wait = options.wait;
  how.command = options.command;
  if (options.dry_run) {
    check_no_other_run(options.folder);
    const Updating updating(options, workers, reporter);
    return updating.is_done() ? updating.already_done() : updating.dry_run();
  }
  // Two updates at once could add the same speaker to two datasets of a split.
  std::optional<base::WriterLock> split_lock;
  if (const std::string root = check::split_root_of(options.folder); !root.empty())
    split_lock = repack::lock_folder(repack::work_folder_of(root), how, reporter);
  const base::WriterLock lock = repack::lock_folder(work, how, reporter);
  if (dataset::finish_publishing(options.folder)) repack::remove_work(work);
  check_no_other_run(options.folder);
  if (options.force) base::remove_tree(work_of(options.folder));
  Updating updating(options, workers, reporter);
  UpdateSummary summary;
  if (updating.is_done()) {
    repack::remove_work(work);
    summary = updating.already_done();
    repack::write_max_rejects(options.folder, summary.max_rejects, summary.too_many_rejects);
  } else {
    try {
      summary = updating.run(lock);
    } catch (...) {
      clean_up_failure(options.folder, lock);
      throw;
    }
    repack::remove_work(work);
  }
  summary.seconds = clock.elapsed_seconds();
  return summary;
}

}  // namespace shardmill::update
