#include "update/update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/filesystem.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/free_space.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "update/arrangement.hpp"
#include "update/assembly.hpp"
#include "update/description.hpp"
#include "update/facts.hpp"
#include "update/folder.hpp"
#include "update/forecast.hpp"
#include "update/records.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

namespace {

using deal::kNoShard;

/// Of everything that is asked for: the same command has the same id.
base::Xxh128 id_of(const UpdateOptions& options, const std::optional<repack::RepackPlan>& plan,
                   const pipeline::KeyList* removed) {
  std::string text = fmt::format("rest {}\n", static_cast<int>(options.rest));
  if (plan) text += "add " + plan->sources.digest().hex() + "\n";
  if (removed != nullptr) text += "remove " + removed->hash().hex() + "\n";
  return base::xxh3_128(base::as_bytes(text));
}

class Updating {
 public:
  Updating(const UpdateOptions& options, pipeline::Workers& workers, base::Reporter& reporter)
      : options_(options), workers_(workers), reporter_(reporter), work_(work_of(options.folder)) {}

  /// nullopt when all is done already.
  bool look() {
    records_ = dataset::sound_records(options_.folder);
    check_files();
    recipe_ = dataset::recipe_of(records_.dataset->options);
    if (recipe_.intake.limit != 0) {
      throw Error("the dataset was made with --limit, so it is not known what of its sources is missing",
                  at(options_.folder), "make it again without --limit");
    }
    if (options_.on_error) recipe_.intake.on_error = *options_.on_error;
    if (options_.on_duplicate) recipe_.intake.on_duplicate = *options_.on_duplicate;
    if (options_.on_duplicate_audio) {
      if (!recipe_.intake.form.hearing.sound)
        throw Error(
            "the dataset was made without --on-duplicate-audio, so its manifests do not tell the sounds",
            at(options_.folder), "shardmill inspect --duplicates compares it with the sources");
      recipe_.intake.on_duplicate_audio = *options_.on_duplicate_audio;
    }
    if (!options_.remove_keys.empty()) {
      removed_ = pipeline::KeyList::read(options_.remove_keys);
      if (removed_->size() == 0) throw Error("lists no keys", at(options_.remove_keys));
    }
    if (!options_.sources.empty()) plan_ = plan_staging(options_, *records_.dataset, recipe_, reporter_);
    id_ = id_of(options_, plan_, removed());
    const auto& updates = records_.dataset->updates;
    return updates.empty() || updates.back().id != id_;
  }

  UpdateSummary already_done() {
    UpdateSummary summary{.outcome = UpdateSummary::Outcome::already_done};
    summary.dataset = *records_.dataset;
    summary.update = records_.dataset->updates.back();
    judge(summary, records_.path(manifest::kRejects));
    return summary;
  }

  /// What run() would do. Of what is removed this is exact, of what is added it is an estimate.
  UpdateSummary plan() {
    reporter_.phase("reading manifests");
    facts_ = read_facts(records_, removed(), options_.remove_keys, workers_, reporter_);
    UpdateSummary summary{.outcome = UpdateSummary::Outcome::planned};
    manifest::DatasetRecord::Update& update = summary.update;
    fill_stock();
    decide();
    update.removed = stock_->removed().samples;
    update.removed_seconds = pipeline::seconds(stock_->removed().duration);
    std::vector<double> waiting(stock_->datasets().size(), 0);
    for (std::size_t i = 0; i < shard_of_.size(); ++i) {
      const StockSample& sample = stock_->samples()[i];
      if (!sample.is_removed && shard_of_[i] == kNoShard) waiting[sample.held.dataset] += 1;
    }
    double added = 0;
    if (plan_) {
      reporter_.phase("looking at the sources");
      const auto expected = expected_of(*plan_, stock_->datasets(), reporter_);
      for (std::size_t d = 0; d < expected.size(); ++d) {
        waiting[d] += expected[d].samples;
        added += expected[d].samples;
        update.added_seconds += expected[d].seconds;
      }
    }
    update.added = static_cast<std::uint64_t>(std::llround(added));
    foresee(summary, waiting);
    return summary;
  }

  UpdateSummary run(const base::WriterLock& lock) {
    reporter_.phase("reading manifests");
    facts_ = read_facts(records_, removed(), options_.remove_keys, workers_, reporter_);
    if (plan_) {
      reporter_.phase("");
      Known known{.keys = facts_.keys, .sounds = {}};
      if (recipe_.intake.form.hearing.sound) {
        base::make_folders(work_);
        known.sounds = sounds_of(records_, removed(), work_ + "/sounds", reporter_);
      }
      staged_ =
          stage(*plan_, options_, work_ + "/stage", fingerprint(), known, new_shards(), workers_, reporter_);
      for (const StagedShard& shard : staged_->shards) facts_.shards.push_back(contents_of(shard.manifest));
    }
    reporter_.phase("dealing");
    fill_stock();
    decide();
    reporter_.phase("writing shards");
    write_shards();
    reporter_.phase("recording");
    return publish(lock);
  }

 private:
  const pipeline::KeyList* removed() const { return removed_ ? &*removed_ : nullptr; }

  void check_files() const {
    try {
      dataset::check_files_are_there(options_.folder);
    } catch (const Error& error) {
      throw Error(error.problem(), error.where(), "shardmill repair makes files of a dataset again");
    }
  }

  std::string fingerprint() const {
    return repack::fingerprint(*plan_) + "update " + id_.hex() + "\ndataset " +
           base::sha256_hex(base::as_bytes(base::read_text(records_.path(manifest::kDataset)))) + "\n";
  }

  std::uint32_t old_shards() const { return static_cast<std::uint32_t>(records_.shards->size()); }

  /// Shards of the dataset as it was, and those that are whole already.
  std::uint32_t filled_shards() const { return static_cast<std::uint32_t>(facts_.shards.size()); }

  /// What shards can be filled while the sources are read: none where others must be filled first, or where
  /// the sources lack a dataset that each shard has.
  std::optional<NewShards> new_shards() const {
    if (removed_ || options_.rest != Rest::waits) return std::nullopt;
    std::vector<std::string> names = dataset_names();
    const Likeness like = likeness(old_facts(names));
    NewShards wanted{.first = old_shards(), .like = {.counts = {}, .least = like.least, .most = like.most}};
    for (const pipeline::DatasetInput& input : plan_->inputs.datasets) {
      const auto name = std::find(names.begin(), names.end(), input.name);
      wanted.like.counts.push_back(like.counts[static_cast<std::size_t>(name - names.begin())]);
      name->clear();
    }
    for (std::size_t d = 0; d < names.size(); ++d) {
      if (!names[d].empty() && like.counts[d] != 0) return std::nullopt;
    }
    return wanted;
  }

  std::vector<std::string> dataset_names() const {
    std::vector<std::string> names;
    for (const auto& part : records_.dataset->datasets) names.push_back(part.dataset);
    if (!plan_) return names;
    for (const pipeline::DatasetInput& input : plan_->inputs.datasets) {
      if (std::find(names.begin(), names.end(), input.name) == names.end()) names.push_back(input.name);
    }
    return names;
  }

  void fill_stock() {
    stock_.emplace(dataset_names());
    if (records_.dataset->pending) {
      stock_->add({.tar = records_.path(manifest::kPendingTar),
                   .manifest = records_.path(manifest::kPendingManifest)},
                  removed());
    }
    if (staged_) {
      for (const Staged::Tar& other : staged_->others)
        stock_->add({.tar = other.tar, .manifest = other.manifest, .is_new = true}, nullptr);
    }
    for (const std::uint32_t shard : facts_.with_removed) open_shard(shard);
  }

  void open_shard(std::uint32_t shard) {
    if (stock_->holds_shard(shard)) return;
    stock_->add({.tar = records_.path((*records_.shards)[shard].path),
                 .manifest = manifest_path(records_, shard),
                 .shard = shard},
                removed());
  }

  std::vector<OldShard> old_facts(const std::vector<std::string>& names) const {
    std::vector<OldShard> old;
    for (const check::ShardContents& contents : facts_.shards) {
      OldShard& shard = old.emplace_back();
      for (const std::string& name : names) {
        const auto found = contents.datasets.find(name);
        const bool has_some = found != contents.datasets.end();
        shard.counts.push_back(has_some ? static_cast<std::uint32_t>(found->second.samples) : 0);
        if (has_some) shard.time += found->second.duration;
      }
    }
    return old;
  }

  /// What can be moved, and in `movable_` which samples of the stock that is.
  std::vector<Movable> movables() {
    std::vector<Movable> movables;
    movable_.clear();
    for (std::uint32_t i = 0; i < stock_->samples().size(); ++i) {
      const StockSample& sample = stock_->samples()[i];
      if (sample.is_removed) continue;
      movable_.push_back(i);
      movables.push_back({.sample = sample.held, .shard = stock_->stores()[sample.store].shard});
    }
    if (movables.empty() && facts_.keys->size() == 0)
      throw Error("no sample would be left", at(options_.folder), "nothing was changed");
    return movables;
  }

  void decide() {
    const std::vector<OldShard> old = old_facts(stock_->datasets());
    auto left = filled_shards();
    std::optional<Arrangement> found;
    while (options_.rest != Rest::remix && left != 0) {
      std::vector<std::uint32_t> open;
      for (const std::uint32_t shard : facts_.with_removed) {
        if (shard < left) open.push_back(shard);
      }
      found = arrange(old, left, open, movables());
      if (found) break;
      // The samples of the last shard fill the others.
      open_shard(--left);
    }
    if (!found) {
      // Where no shard could stay as it is, all are made anew.
      for (std::uint32_t shard = 0; shard < old_shards(); ++shard) open_shard(shard);
      const auto all = movables();
      const std::uint64_t mean = std::max<std::uint64_t>(1, records_.dataset->samples / old_shards());
      found = remix(all, stock_->datasets().size(), mean);
    } else if (options_.rest == Rest::spread && has_waiting(*found)) {
      for (std::uint32_t shard = 0; shard < old_shards(); ++shard) open_shard(shard);
      const auto all = movables();
      for (std::size_t i = found->shard_of.size(); i < all.size(); ++i)
        found->shard_of.push_back(all[i].shard);
      found = spread(*found, all, stock_->datasets().size());
    }
    arrangement_ = std::move(*found);
    shard_of_.assign(stock_->samples().size(), kNoShard);
    for (std::size_t i = 0; i < movable_.size(); ++i) shard_of_[movable_[i]] = arrangement_.shard_of[i];
  }

  void foresee(UpdateSummary& summary, const std::vector<double>& waiting) const {
    const manifest::DatasetRecord& old = *records_.dataset;
    manifest::DatasetRecord::Update& update = summary.update;
    const Likeness like = likeness(old_facts(stock_->datasets()));
    double rest = 0;
    for (const double samples : waiting) rest += samples;
    const std::uint64_t more = options_.rest == Rest::waits ? shards_from(like, waiting) : 0;
    std::uint64_t shards = arrangement_.shards + more;
    for (const std::uint32_t count : like.counts) rest -= static_cast<double>(more) * count;
    const double samples_before = static_cast<double>(old.samples) / static_cast<double>(old.shards);
    bool is_all_new = options_.rest == Rest::remix;
    if (options_.rest == Rest::remix) {
      const double all = static_cast<double>(movable_.size()) + static_cast<double>(update.added);
      shards = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(all / samples_before)));
    } else if (options_.rest == Rest::spread) {
      is_all_new = rest >= 1 || has_waiting(arrangement_) || arrangement_.shards != old_shards();
    }
    if (options_.rest != Rest::waits) rest = 0;
    std::uint64_t rewritten = 0;
    const std::vector<bool> changes = changed();
    for (std::size_t shard = 0; shard < changes.size() && shard < old_shards(); ++shard)
      rewritten += changes[shard] || is_all_new ? 1 : 0;
    update.rewritten_shards = is_all_new ? std::min<std::uint64_t>(shards, old_shards()) : rewritten;
    update.new_shards = shards > old_shards() ? shards - old_shards() : 0;
    update.pending = static_cast<std::uint64_t>(std::llround(std::max(0.0, rest)));
    if (shards < old_shards()) summary.removed_shards = old_shards() - shards;
    const double total = static_cast<double>(old.samples) +
                         (old.pending ? static_cast<double>(old.pending->samples) : 0) -
                         static_cast<double>(update.removed) + static_cast<double>(update.added);
    summary.dataset = old;
    summary.dataset.shards = shards;
    summary.dataset.samples = static_cast<std::uint64_t>(std::max(0.0, total - std::max(0.0, rest)));
    const double shard_bytes = static_cast<double>(old.bytes) / static_cast<double>(old.shards);
    const double sample_bytes = static_cast<double>(old.tar_bytes) / static_cast<double>(old.samples);
    // All samples that are dealt over all shards share the bytes of the new ones.
    const double written = is_all_new ? (total - std::max(0.0, rest)) / samples_before
                                      : static_cast<double>(update.rewritten_shards + update.new_shards);
    summary.written_bytes =
        static_cast<std::uint64_t>(written * shard_bytes + std::max(0.0, rest) * sample_bytes);
  }

  static bool has_waiting(const Arrangement& arrangement) {
    return std::find(arrangement.shard_of.begin(), arrangement.shard_of.end(), kNoShard) !=
           arrangement.shard_of.end();
  }

  /// By shard of the new dataset: whether it is not what it was.
  std::vector<bool> changed() const {
    std::vector<bool> changed(std::max(arrangement_.shards, filled_shards()), false);
    for (std::uint32_t shard = filled_shards(); shard < changed.size(); ++shard) changed[shard] = true;
    for (std::size_t i = 0; i < shard_of_.size(); ++i) {
      const StockSample& sample = stock_->samples()[i];
      const std::uint32_t was = stock_->stores()[sample.store].shard;
      if (was == shard_of_[i] && !sample.is_removed) continue;
      if (was != kNoShard) changed[was] = true;
      if (shard_of_[i] != kNoShard) changed[shard_of_[i]] = true;
    }
    changed.resize(arrangement_.shards);
    return changed;
  }

  std::string shard_name(std::uint32_t shard) const {
    return std::string(manifest::kShardFolder) + "/" +
           manifest::shard_file_name(recipe_.prefix, shard, codec::suffix(recipe_.codec));
  }

  /// Samples that were in the shard keep their places; others come in an order that mixes them.
  void sort_samples(Target& target) const {
    const auto& all = stock_->samples();
    const auto stays = [&](std::uint32_t sample) {
      return stock_->stores()[all[sample].store].shard == target.shard_id && options_.rest != Rest::remix;
    };
    std::stable_sort(target.samples.begin(), target.samples.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (stays(a) != stays(b)) return stays(a);
      return !stays(a) && all[a].key < all[b].key;
    });
  }

  void write_shards() {
    stock_->locate(work_ + "/plain", workers_, reporter_);
    changed_ = changed();
    std::vector<std::uint32_t> target_of(arrangement_.shards, kNoShard);
    for (std::uint32_t shard = 0; shard < arrangement_.shards; ++shard) {
      if (!changed_[shard]) continue;
      target_of[shard] = static_cast<std::uint32_t>(targets_.size());
      targets_.push_back(
          {.tar = shard_name(shard),
           .manifest = std::string(manifest::kManifestFolder) + "/" + manifest::manifest_file_name(shard),
           .shard_id = shard,
           .format = repack::encoder_options(recipe_),
           .samples = {}});
    }
    Target waiting{.tar = std::string(manifest::kPendingTar),
                   .manifest = std::string(manifest::kPendingManifest),
                   .format = {},
                   .samples = {}};
    for (std::uint32_t i = 0; i < shard_of_.size(); ++i) {
      if (stock_->samples()[i].is_removed) continue;
      if (shard_of_[i] == kNoShard) {
        waiting.samples.push_back(i);
      } else if (changed_[shard_of_[i]]) {
        targets_[target_of[shard_of_[i]]].samples.push_back(i);
      }
    }
    for (Target& target : targets_) sort_samples(target);
    if (!waiting.samples.empty()) targets_.push_back(std::move(waiting));
    check_room();
    base::remove_tree(work_ + "/new");
    written_ = write_targets(targets_, *stock_, work_ + "/new", workers_, reporter_);
  }

  void check_room() const {
    if (options_.ignore_free_space) return;
    std::uint64_t bytes = 0;
    for (const Target& target : targets_) {
      for (const std::uint32_t sample : target.samples) bytes += stock_->samples()[sample].bytes;
    }
    dataset::check_free_space(options_.folder, bytes);
  }

  bool has_pending() const { return !targets_.empty() && targets_.back().tar == manifest::kPendingTar; }

  UpdatedShard updated(std::size_t target) const {
    const WrittenTarget& written = written_[target];
    UpdatedShard shard{.contents = written.contents,
                       .record = {},
                       .is_new = true,
                       .tar = targets_[target].tar,
                       .manifest = targets_[target].manifest,
                       .manifest_sha256 = written.manifest_sha256,
                       .tar_now = work_ + "/new/" + targets_[target].tar,
                       .manifest_now = work_ + "/new/" + targets_[target].manifest};
    shard.record.shard_id = targets_[target].shard_id;
    shard.record.bytes = written.bytes;
    shard.record.tar_bytes = written.tar_bytes;
    shard.record.codec = codec::name(targets_[target].format.codec);
    shard.record.sha256 = written.sha256;
    return shard;
  }

  /// A shard that was filled while the sources were read.
  UpdatedShard updated(const StagedShard& staged, std::uint32_t number, const std::string& manifest) const {
    UpdatedShard shard{.contents = facts_.shards[number],
                       .record = {},
                       .is_new = true,
                       .tar = shard_name(number),
                       .manifest = manifest,
                       .manifest_sha256 = {},
                       .tar_now = staged.packed.path,
                       .manifest_now = staged.manifest};
    // Counted as they were packed: a manifest may be without texts.
    shard.contents.with_text = {{std::string(), staged.with_text}};
    shard.record.shard_id = number;
    shard.record.bytes = staged.packed.bytes;
    shard.record.tar_bytes = staged.tar_bytes;
    shard.record.codec = codec::name(recipe_.codec);
    shard.record.sha256 = staged.packed.sha256;
    return shard;
  }

  std::vector<UpdatedShard> updated_shards() const {
    std::vector<UpdatedShard> shards;
    std::size_t target = 0;
    for (std::uint32_t shard = 0; shard < arrangement_.shards; ++shard) {
      if (changed_[shard]) {
        shards.push_back(updated(target++));
        continue;
      }
      const std::string manifest =
          std::string(manifest::kManifestFolder) + "/" + manifest::manifest_file_name(shard);
      if (shard >= old_shards()) {
        shards.push_back(updated(staged_->shards[shard - old_shards()], shard, manifest));
        continue;
      }
      shards.push_back({.contents = facts_.shards[shard],
                        .record = (*records_.shards)[shard],
                        .is_new = false,
                        .tar = (*records_.shards)[shard].path,
                        .manifest = manifest,
                        .manifest_sha256 = records_.checksums->at(manifest),
                        .tar_now = records_.path((*records_.shards)[shard].path),
                        .manifest_now = records_.path(manifest)});
    }
    return shards;
  }

  std::uint64_t max_rejects() const { return options_.max_rejects.value_or(records_.run->max_rejects); }

  std::string rejects() const {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;
    std::string text = base::read_text(records_.path(manifest::kRejects), kMostBytes);
    if (staged_ && base::exists(staged_->reject_log))
      text += base::read_text(staged_->reject_log, kMostBytes);
    for (const manifest::Reject& reject : stock_->removed().rejects) append_line(text, reject);
    return text;
  }

  UpdateSummary publish(const base::WriterLock& lock) {
    const Changes changes{.id = id_,
                          .options = options_,
                          .records = records_,
                          .recipe = recipe_,
                          .plan = plan_,
                          .staged = staged_,
                          .stock = *stock_,
                          .shard_of = shard_of_,
                          .changed = changed_};
    UpdatedDataset updated{.old = records_,
                           .recipe = dataset::recipe_of(records_.dataset->options),
                           .shards = updated_shards(),
                           .pending = {},
                           .record = describe(changes),
                           .run = describe_run(changes, clock_, workers_),
                           .rejects = rejects()};
    updated.recipe.sizing.amount = arrangement_.shards;
    if (has_pending()) updated.pending = this->updated(targets_.size() - 1);
    const std::string ready = work_ + "/new";
    base::make_folders(ready);
    UpdatedRecords written = write_records(updated, ready, workers_, reporter_);
    lock.check_held();
    UpdateSummary summary;
    judge(summary, ready + "/" + std::string(manifest::kRejects));
    repack::date_for_make(ready + "/" + std::string(manifest::kDataset), summary.too_many_rejects);
    dataset::publish(options_.folder, written.renames, written.kept);
    tell(summary, std::move(written));
    return summary;
  }

  void judge(UpdateSummary& summary, const std::string& rejects_path) const {
    summary.losses = repack::losses_in(rejects_path);
    summary.max_rejects = max_rejects();
    summary.too_many_rejects = !repack::is_within(summary.losses, summary.max_rejects);
  }

  void tell(UpdateSummary& summary, UpdatedRecords&& written) const {
    summary.dataset = std::move(written.dataset);
    summary.update = summary.dataset.updates.back();
    summary.dropped = std::move(written.dropped);
    for (const WrittenTarget& target : written_) summary.written_bytes += target.bytes;
    if (staged_) {
      for (const Staged::Tar& other : staged_->others)
        summary.written_bytes += base::File::open_read(other.tar).size();
      for (const StagedShard& shard : staged_->shards) summary.written_bytes += shard.packed.bytes;
    }
    if (arrangement_.shards < old_shards()) summary.removed_shards = old_shards() - arrangement_.shards;
    if (staged_) summary.left_out = staged_->counts.left_out;
    summary.shard_seconds = summary.dataset.balance.mean_seconds;
    if (!has_pending()) return;
    for (const auto& part : summary.dataset.datasets)
      summary.waiting[part.dataset].per_shard = part.samples / summary.dataset.shards;
    for (const auto& [name, share] : written_.back().contents.datasets)
      summary.waiting[name].waiting = share.samples;
  }

  const UpdateOptions& options_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  repack::RunClock clock_;
  std::string work_;
  dataset::DatasetRecords records_;
  dataset::Recipe recipe_;
  std::optional<pipeline::KeyList> removed_;
  std::optional<repack::RepackPlan> plan_;
  base::Xxh128 id_;
  Facts facts_;
  std::optional<Staged> staged_;
  std::optional<Stock> stock_;
  std::vector<std::uint32_t> movable_;   // samples of the stock that are not removed
  Arrangement arrangement_;              // of these
  std::vector<std::uint32_t> shard_of_;  // of all samples of the stock
  std::vector<bool> changed_;            // by shard
  std::vector<Target> targets_;          // the last one may be what waits
  std::vector<WrittenTarget> written_;
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
    Updating updating(options, workers, reporter);
    return updating.look() ? updating.plan() : updating.already_done();
  }
  const base::WriterLock lock = repack::lock_folder(work, how, reporter);
  if (dataset::finish_publishing(options.folder)) repack::remove_work(work);
  check_no_other_run(options.folder);
  if (options.force) base::remove_tree(work_of(options.folder));
  Updating updating(options, workers, reporter);
  UpdateSummary summary;
  if (!updating.look()) {
    repack::remove_work(work);
    summary = updating.already_done();
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
