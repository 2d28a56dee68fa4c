#include "repack/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/text/units.hpp"
#include "dataset/owned_files.hpp"
#include "deal/even.hpp"
#include "manifest/layout.hpp"
#include "pipeline/counting.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/pack_shards.hpp"
#include "pipeline/split_check.hpp"
#include "pipeline/text_check.hpp"
#include "repack/depfile.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/part_plan.hpp"
#include "repack/planned_bytes.hpp"
#include "repack/records.hpp"
#include "repack/shard_count_check.hpp"
#include "repack/split/folder.hpp"
#include "repack/whole_run.hpp"
#include "source/output_check.hpp"

namespace shardmill::repack {

namespace {

using pipeline::SplitKeeper;

std::string text_of(const deal::ShardSizing& sizing) {
  using By = deal::ShardSizing::By;
  const char* by = sizing.by == By::shards    ? "shards"
                   : sizing.by == By::seconds ? "seconds"
                   : sizing.by == By::bytes   ? "bytes"
                                              : "samples";
  return fmt::format("{}={}, a multiple of {}", by, sizing.amount, sizing.multiple_of);
}

double seconds_of(deal::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

deal::Duration audio_of(const pipeline::IntakeCounts& counts) {
  deal::Duration sum{};
  for (const auto& [form, amount] : counts.forms) sum += amount.duration;
  return sum;
}

/// The names of the splits that may come of it, train first.
std::vector<std::string> names_of(const deal::SplitWish& wish) {
  std::vector<std::string> names{deal::kTrain};
  if (wish.by == deal::SplitBy::subset) return {deal::kTrain, "dev", "test"};
  for (const auto& [name, amount] : wish.amounts) names.push_back(name);
  return names;
}

std::vector<std::string> names_of(const manifest::SplitRecord& record) {
  std::vector<std::string> names;
  for (const auto& part : record.parts) names.push_back(part.name);
  return names;
}

/// A dataset whose shards are whole, and still in the work folder.
struct Made {
  std::string name;
  std::uint64_t groups = 0;
  std::uint32_t shards = 0;
  pipeline::IntakeCounts counts{};
  std::vector<pipeline::ShardTally> tallies{};
  std::vector<FinishedShard> finished{};
};

/// Locks of the folder and of those in it. They are released in reverse, so that folders that were made for
/// nothing can be removed.
class Locks {
 public:
  Locks() = default;
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;
  ~Locks() {
    while (!locks_.empty()) locks_.pop_back();
  }

  void add(base::WriterLock&& lock) { locks_.push_back(std::move(lock)); }
  const base::WriterLock& outer() const { return locks_.front(); }
  void check_held() const {
    for (const base::WriterLock& lock : locks_) lock.check_held();
  }

 private:
  std::vector<base::WriterLock> locks_;
};

class SplitRun {
 public:
  SplitRun(const SplitOptions& options, pipeline::Workers& workers, base::Reporter& reporter)
      : options_(options), workers_(workers), reporter_(reporter), out_(options.whole.out_folder) {}

  SplitSummary run();

 private:
  void plan();
  std::string make_rules();
  SplitSummary plan_only() const;
  std::optional<SplitSummary> already_there();
  bool is_untouched() const;
  void prepare(const std::vector<std::string>& names);
  void make_all();
  void make_train(pipeline::Mill& mill);
  Made make_other(const SplitKeeper::Share& share, const pipeline::Mill& train, deal::Duration train_audio);
  pipeline::MillPlan mill_plan(const std::string& name) const;
  std::uint32_t shards_for(const SplitKeeper::Share& share, deal::Duration train_audio) const;
  pipeline::IntakeCounts counts_of(const SplitKeeper::Share& share) const;
  void publish_all(const Locks& locks);
  void clean_up_failure() const noexcept;

  std::string folder_of(const std::string& name) const { return split_folder(out_, name); }
  std::string work_of(const std::string& name) const { return work_folder_of(folder_of(name)); }
  std::string wished() const {
    return fmt::format("{} by {}", repack::text_of(options_.wish), name(options_.wish.by));
  }
  std::string fingerprint() const {
    return repack::fingerprint(plan_) + "source of a split: " + wished() + "\n";
  }

  const SplitOptions& options_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  std::string out_;
  RunClock clock_;
  RepackPlan plan_;  // of train
  std::list<Made> made_;
  SplitSummary summary_;
  bool resumed_ = false;
  bool is_in_vain_ = false;  // the same command would fail again
};

SplitSummary SplitRun::run() {
  plan();
  const std::string rules = make_rules();
  if (options_.whole.dry_run) return plan_only();
  const auto names = names_of(options_.wish);
  std::optional<SplitSummary> there;
  if (is_untouched()) there = already_there();
  if (!there) {
    pipeline::check_splits(plan_.inputs, plan_.recipe.intake);
    pipeline::glance_at_texts(plan_.inputs, plan_.recipe.intake, reporter_);
    Locks locks;
    locks.add(lock_folder(work_folder_of(out_), options_.whole, reporter_));
    std::set<std::string> locked(names.begin(), names.end());
    locked.merge(committed_splits(out_));
    for (const std::string& name : locked) locks.add(lock_folder(work_of(name), options_.whole, reporter_));
    finish_split(out_);
    there = already_there();
    if (!there) {
      RepackOptions whole = options_.whole;
      whole.out_folder = out_;
      check_room(whole, plan_, workers_.threads());
      prepare(names);
      try {
        make_all();
        publish_all(locks);
      } catch (...) {
        clean_up_failure();
        throw;
      }
    }
  }
  if (!rules.empty()) write_depfile(options_.whole.depfile, rules);
  return there ? std::move(*there) : std::move(summary_);
}

void SplitRun::plan() {
  const auto names = names_of(options_.wish);
  check_split_folder(out_, names);
  RepackOptions train = options_.whole;
  train.out_folder = folder_of(deal::kTrain);
  if (!train.recipe.list_root.empty()) train.recipe.list_root += "/" + std::string(deal::kTrain);
  if (options_.wish.by == deal::SplitBy::subset && train.recipe.intake.tree.subsets.empty())
    train.recipe.intake.tree.subsets = {"all"};
  plan_ = make_plan(train, reporter_);
  source::check_output_folder(out_, plan_.sources);
  // What is known of the amount is as good as the estimate, which is good enough for a number of shards.
  const double wanted = seconds_of(options_.wish.total());
  const auto all = static_cast<double>(plan_.estimate.seconds);
  if (all > 0 && wanted >= 2 * all)
    throw Error(fmt::format("the sources hold about {}, and the splits were to get {}",
                            base::format_audio(all), base::format_audio(wanted)),
                {}, "ask for less");
  const deal::ShardSizing& sizing = options_.whole.recipe.sizing;
  if (sizing.by != deal::ShardSizing::By::shards && all > 0) {
    const double rest = std::max(0.0, 1 - wanted / all);
    const auto scaled = [rest](std::uint64_t amount) {
      return static_cast<std::uint64_t>(rest * static_cast<double>(amount));
    };
    const deal::InputEstimate left{.samples = scaled(plan_.estimate.samples),
                                   .seconds = scaled(plan_.estimate.seconds),
                                   .bytes = scaled(plan_.estimate.bytes)};
    plan_.shards = static_cast<std::uint32_t>(deal::shard_count(sizing, left));
    plan_.recipe.sizing.amount = plan_.shards;
  }
  check_shard_count(plan_, reporter_);
}

std::string SplitRun::make_rules() {
  if (options_.whole.depfile.empty()) return {};
  std::vector<base::MakeRule> rules{
      {.target = split_record_path(out_), .prerequisites = files_of_sources(plan_.sources)}};
  std::vector<std::string> names{std::string(manifest::kSplit)};
  for (const std::string& split : names_of(options_.wish)) {
    for (const std::string& name : names_to_be_written(plan_)) names.push_back(split + "/" + name);
  }
  check_depfile(options_.whole.depfile, rules, {.folder = out_, .names = names});
  return base::make_rules(rules);
}

SplitSummary SplitRun::plan_only() const {
  SplitSummary summary{.outcome = RepackSummary::Outcome::planned};
  pipeline::check_splits(plan_.inputs, plan_.recipe.intake);
  RepackSummary& plan = summary.plan;
  plan.outcome = summary.outcome;
  plan.estimate = plan_.estimate;
  plan.input_bytes = input_bytes(plan_);
  plan.planned_shards = plan_.shards;
  plan.planned_extensions = plan_.audio_extensions;
  for (std::size_t i = 0; i < plan_.dataset_seconds.size(); ++i) {
    const auto& [name, weight] = plan_.inputs.datasets[i];
    plan.planned_datasets.push_back({.name = name, .seconds = plan_.dataset_seconds[i], .weight = weight});
  }
  plan.needed_bytes = planned_bytes(plan_, workers_.threads());
  return summary;
}

/// True when nobody works in the folder, and nothing has to be put right.
bool SplitRun::is_untouched() const {
  const auto names = names_of(options_.wish);
  const bool is_work_left = base::exists(work_folder_of(out_)) ||
                            std::any_of(names.begin(), names.end(),
                                        [this](const auto& name) { return base::exists(work_of(name)); });
  return base::exists(split_record_path(out_)) && !is_work_left;
}

std::optional<SplitSummary> SplitRun::already_there() {
  if (options_.whole.force || !base::exists(split_record_path(out_))) return std::nullopt;
  const manifest::SplitRecord record = manifest::read_split_record(split_record_path(out_));
  std::optional<std::string> what;
  const auto compare = [&](std::string_view option, const std::string& was, const std::string& is) {
    if (!what && was != is) what = fmt::format("{}: was {}, now {}", option, was, is);
  };
  compare("split", record.wanted, repack::text_of(options_.wish));
  compare("split-by", record.by, std::string(name(options_.wish.by)));
  if (!what) what = dataset::difference_to_finished(record.options, dataset::text_of(plan_.recipe));
  if (!what) {
    using By = deal::ShardSizing::By;
    const std::string sizing = text_of(options_.whole.recipe.sizing);
    // Where all get a number of shards that follows from another one, the number alone says nothing.
    if (record.sizing != sizing && options_.whole.recipe.sizing.by != By::shards)
      compare("how many shards", record.sizing, sizing);
  }
  if (!what) what = difference_of_sources(plan_, folder_of(deal::kTrain), record.inputs_xxh3);
  SplitSummary summary{.outcome = RepackSummary::Outcome::already_there};
  for (const std::string& name : names_of(record)) {
    if (what) break;
    summary.splits.emplace_back(name, summary_of_finished(folder_of(name), options_.whole.max_rejects));
    if (!summary.splits.back().second.dataset.updates.empty()) what = name + " was updated since it was made";
  }
  if (what) {
    throw Error(fmt::format("holds a finished split that differs: {}", *what), at(out_),
                Remedy::other_folder_or_replace);
  }
  return summary;
}

void SplitRun::prepare(const std::vector<std::string>& names) {
  const auto begun = begun_split(out_);
  const bool is_ours = begun.has_value();
  if (is_ours && !options_.whole.force && *begun != wished())
    throw Error(fmt::format("holds an unfinished split that differs: was {}, now {}", *begun, wished()),
                at(out_), "finish that one", Remedy::start_over);
  const auto journal = pipeline::read_journal(pipeline::journal_path(work_of(deal::kTrain)));
  if (!options_.whole.force) {
    for (const std::string& name : names) {
      check_no_parts(folder_of(name));
      if (!is_ours && base::exists(pipeline::journal_path(work_of(name))))
        throw Error("holds an unfinished run of another command", at(folder_of(name)), "finish that one",
                    Remedy::start_over);
    }
    if (journal) {
      if (const auto what = difference(journal->fingerprint, fingerprint()))
        throw Error(fmt::format("holds an unfinished run that differs: {}", *what), at(out_),
                    "finish that one", Remedy::start_over);
    }
  }
  begin_split(out_, wished());
  if (options_.whole.force || !journal) {
    for (const std::string& name : names) remove_work(work_of(name));
  }
  base::make_folders(work_of(deal::kTrain) + "/spool");
}

pipeline::MillPlan SplitRun::mill_plan(const std::string& name) const {
  return {.inputs = {},
          .intake = plan_.recipe.intake,
          .interleave = plan_.recipe.interleave,
          .seed = plan_.recipe.seed,
          .even = plan_.recipe.even,
          .hash_tars = plan_.recipe.codec == codec::Codec::none,
          .work_folder = work_of(name),
          .fingerprint = {},
          .checkpoints = options_.whole.checkpoints};
}

void SplitRun::make_all() {
  pipeline::MillPlan how = mill_plan(deal::kTrain);
  how.inputs = plan_.inputs;
  how.shards = plan_.shards;
  how.split = options_.wish;
  how.fingerprint = fingerprint();
  how.unusable = plan_.sources.unusable;
  if (plan_.recipe.intake.on_duplicate == pipeline::OnDuplicate::first)
    how.claims =
        pipeline::claims_of(plan_.inputs, plan_.recipe.intake, plan_.recipe.seed, workers_, reporter_);
  reporter_.progress().input_bytes_total = input_bytes(plan_);
  pipeline::Mill mill(how, workers_, reporter_);
  resumed_ = mill.resume();
  // Nothing of such a run can be used by one with other options.
  try {
    mill.run();
  } catch (const deal::SplitError&) {
    is_in_vain_ = true;
    throw;
  } catch (const pipeline::UnknownSpeaker& error) {
    is_in_vain_ = true;
    throw Error(error.problem(), error.where(), Remedy::split_by_key);
  } catch (const pipeline::UnknownSubset& error) {
    is_in_vain_ = true;
    throw Error(error.problem(), error.where(), Remedy::split_by_amounts);
  }
  deal::Duration train_audio = audio_of(mill.counts());
  for (const SplitKeeper::Share& share : mill.splits()) train_audio -= share.duration;
  for (const SplitKeeper::Share& share : mill.splits()) made_.push_back(make_other(share, mill, train_audio));
  make_train(mill);
}

void SplitRun::make_train(pipeline::Mill& mill) {
  Made train{.name = deal::kTrain, .shards = plan_.shards, .counts = mill.counts()};
  for (const SplitKeeper::Share& share : mill.splits()) pipeline::subtract(train.counts, counts_of(share));
  train.tallies = mill.tallies();
  reporter_.phase(plan_.recipe.codec == codec::Codec::none ? "recording" : "compressing");
  train.finished = finished_shards(
      mill.spools(),
      pipeline::pack_shards(mill.spools(), encoder_options(plan_.recipe), workers_, reporter_));
  made_.push_front(std::move(train));
}

/// How the samples of a split were counted when they were read.
pipeline::IntakeCounts SplitRun::counts_of(const SplitKeeper::Share& share) const {
  const auto store = pipeline::HeldStore::open_read(pipeline::split_path(work_of(deal::kTrain)));
  pipeline::IntakeCounts counts;
  for (const pipeline::HeldStore::Entry& entry : share.entries) {
    reporter_.check_stop();
    pipeline::count(counts, store.read(entry));
  }
  return counts;
}

/// The sizes that were asked for are those of a shard in any split. Where a number was asked for, it is that
/// of train, and the other splits get shards of the same size.
std::uint32_t SplitRun::shards_for(const SplitKeeper::Share& share, deal::Duration train_audio) const {
  using By = deal::ShardSizing::By;
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  deal::ShardSizing sizing = options_.whole.recipe.sizing;
  const auto in_ms = [](deal::Duration duration) {
    return static_cast<std::uint64_t>(duration_cast<milliseconds>(duration).count());
  };
  deal::InputEstimate amount{.samples = share.entries.size(), .seconds = in_ms(share.duration)};
  for (const auto& entry : share.entries) amount.bytes += entry.bytes;
  if (sizing.by == By::shards) {
    sizing.by = By::seconds;
    sizing.amount = std::max<std::uint64_t>(1, in_ms(train_audio) / plan_.shards);
  } else if (sizing.by == By::seconds) {
    sizing.amount *= 1000;
  }
  const std::uint64_t shards = deal::shard_count(sizing, amount);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(shards, amount.samples));
}

Made SplitRun::make_other(const SplitKeeper::Share& share, const pipeline::Mill& train,
                          deal::Duration train_audio) {
  Made made{.name = share.name, .groups = share.groups, .shards = shards_for(share, train_audio)};
  pipeline::MillPlan how = mill_plan(share.name);
  how.inputs.datasets = plan_.inputs.datasets;
  how.shards = made.shards;
  how.part = pipeline::MillPart{};
  how.is_split = true;
  how.fingerprint = fmt::format("{}source of {}: {} shards\n", fingerprint(), share.name, made.shards);
  how.taken = {&train.keys(), [](const pipeline::KeySet*) {}};  // train outlives it

  pipeline::HeldShare held{.path = pipeline::split_path(work_of(deal::kTrain)), .placements = {}};
  const auto entries = static_cast<std::uint32_t>(share.entries.size());
  const deal::EvenChange change =
      deal::even_out(0, entries, made.shards, plan_.recipe.even, plan_.recipe.seed);
  for (std::uint32_t i = 0; i < entries; ++i) {
    if (std::binary_search(change.left_out.begin(), change.left_out.end(), i)) {
      held.left_out.push_back(share.entries[i]);
    } else {
      held.placements.push_back({.entry = share.entries[i]});
    }
  }
  for (const std::uint32_t i : change.repeated)
    held.placements.push_back({.entry = share.entries[i], .is_copy = true});
  std::vector<deal::HeldSample> samples;
  for (const auto& placement : held.placements) samples.push_back(placement.entry.sample);
  const deal::Dealer dealer(made.shards, static_cast<std::uint32_t>(how.inputs.datasets.size()));
  const auto shards = dealer.deal_rest(samples, plan_.recipe.even != deal::Even::off);
  for (std::size_t i = 0; i < shards.size(); ++i) held.placements[i].shard = shards[i];

  // It is made anew rather than checked, unless it is just what is to be made.
  const auto journal = pipeline::read_journal(pipeline::journal_path(how.work_folder));
  if (!journal || journal->fingerprint != how.fingerprint) remove_work(how.work_folder);
  base::make_folders(how.work_folder + "/spool");
  reporter_.phase("making " + share.name);
  pipeline::Mill mill(how, workers_, reporter_);
  mill.resume();
  mill.complete({held});
  const auto packed =
      pipeline::pack_shards(mill.spools(), encoder_options(plan_.recipe), workers_, reporter_);
  made.counts = mill.counts();
  made.tallies = mill.tallies();
  made.finished = finished_shards(mill.spools(), packed);
  return made;
}

void SplitRun::publish_all(const Locks& locks) {
  reporter_.phase("recording");
  manifest::SplitRecord record{.by = std::string(name(options_.wish.by)),
                               .wanted = repack::text_of(options_.wish),
                               .sizing = text_of(options_.whole.recipe.sizing),
                               .options = dataset::text_of(plan_.recipe),
                               .inputs_xxh3 = plan_.sources.digest(),
                               .parts = {}};
  bool too_many_rejects = false;
  ListedSamples listed;
  const std::uint32_t train_shards = plan_.shards;
  const std::string list_root = options_.whole.recipe.list_root;
  for (Made& made : made_) {
    RepackOptions options = options_.whole;
    options.out_folder = folder_of(made.name);
    plan_.shards = made.shards;
    plan_.recipe.sizing.amount = made.shards;
    if (!list_root.empty()) plan_.recipe.list_root = list_root + "/" + made.name;
    if (base::exists(options.out_folder))
      dataset::check_not_taken(options.out_folder, names_to_be_written(plan_),
                               dataset::dataset_file_names(options.out_folder));
    Recorded recorded = repack::record({.options = options,
                                        .plan = plan_,
                                        .counts = made.counts,
                                        .tallies = made.tallies,
                                        .shards = std::move(made.finished),
                                        .reject_logs = {pipeline::reject_log_path(work_of(made.name))},
                                        .work_folder = work_of(made.name),
                                        .lock = locks.outer(),
                                        .workers = workers_,
                                        .reporter = reporter_},
                                       clock_, resumed_);
    RepackSummary& summary = recorded.summary;
    record.parts.push_back({.name = made.name,
                            .shards = summary.dataset.shards,
                            .samples = summary.dataset.samples,
                            .seconds = summary.dataset.seconds,
                            .groups = made.groups});
    too_many_rejects = too_many_rejects || summary.too_many_rejects;
    dataset::prepare_publishing(options.out_folder, recorded.renames);
    const std::string ready = work_of(made.name) + "/ready/";
    listed.manifests.push_back(ready + std::string(manifest::kAllSamples));
    listed.rejects.push_back(ready + std::string(manifest::kRejects));
    listed.are_all = listed.are_all && knows_all_keys(plan_.recipe.intake, made.counts);
    summary_.splits.emplace_back(made.name, std::move(summary));
  }
  plan_.shards = train_shards;
  plan_.recipe.sizing.amount = train_shards;
  summary_.tables = compare_with_lists(plan_.recipe.intake, listed, reporter_);
  locks.check_held();
  commit_split(out_, record);
  finish_split(out_);
  date_for_make(split_record_path(out_), too_many_rejects);
}

/// Removes the work of a run that stopped before its first checkpoint, which has nothing worth keeping.
void SplitRun::clean_up_failure() const noexcept {
  try {
    const bool is_begun = !is_in_vain_ && base::exists(pipeline::journal_path(work_of(deal::kTrain)));
    if (is_begun || base::exists(work_folder_of(out_) + "/" + std::string(manifest::kSplit))) return;
    remove_split_work(out_, names_of(options_.wish));
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find what is left.
  }
}

}  // namespace

std::string text_of(const deal::SplitWish& wish) {
  if (wish.by == deal::SplitBy::subset) return "subset";
  std::string text;
  for (const auto& [name, amount] : wish.amounts)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, seconds_of(amount));
  return text;
}

std::string_view name(deal::SplitBy by) {
  switch (by) {
    case deal::SplitBy::speaker:
      return "speaker";
    case deal::SplitBy::key:
      return "key";
    case deal::SplitBy::subset:
      break;
  }
  return "subset";
}

SplitSummary run_split(const SplitOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_prefix(options.whole.recipe.prefix);
  return SplitRun(options, workers, reporter).run();
}

}  // namespace shardmill::repack
