#include "update/update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/reporter.hpp"
#include "check/separate_splits.hpp"
#include "dataset/output_folder.hpp"
#include "deal/split.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/workers.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/home.hpp"
#include "repack/run.hpp"
#include "repack/split_home.hpp"
#include "update/options.hpp"
#include "update/request.hpp"
#include "update/updating.hpp"

namespace shardmill::update {

namespace {

/// The update of a dataset by itself.
class DatasetUpdate final : public repack::Run<UpdateSummary> {
 public:
  DatasetUpdate(repack::DatasetHome& home, const UpdateOptions& options, pipeline::Workers& workers,
                base::Reporter& reporter)
      : Run(home, options, reporter),
        options_(options),
        workers_(workers),
        removal_(options.removes() ? std::make_shared<Removal>(options) : nullptr) {}

 protected:
  UpdateSummary foretell() override;
  std::optional<UpdateSummary> find() override;
  /// The look at the sources takes too long to do it twice.
  bool may_find_unlocked() const override { return false; }
  void lock() override;
  void leave(const UpdateSummary& summary) override;
  repack::Made<UpdateSummary> make() override;
  bool is_work_worth_keeping() const override {
    return base::exists(pipeline::journal_path(work_of(options_.folder) + "/stage"));
  }

 private:
  /// nullopt: the update is still to be made.
  std::optional<UpdateSummary> look_up();
  void read_manifests();

  const UpdateOptions& options_;
  pipeline::Workers& workers_;
  std::shared_ptr<Removal> removal_;
  std::optional<base::WriterLock> split_lock_;
  std::optional<Updating> updating_;
  bool was_publishing_ = false;  // a run that was interrupted, and is completed by now
};

std::optional<UpdateSummary> DatasetUpdate::look_up() {
  updating_.emplace(options_, removal_, workers_, reporter());
  // With --force, too, people want the update once.
  const bool is_done = was_publishing_ ? updating_->is_last_update() : updating_->is_done();
  if (is_done) return updating_->already_done();
  return std::nullopt;
}

void DatasetUpdate::read_manifests() {
  updating_->read_manifests();
  if (removal_) removal_->check_all_found();
}

UpdateSummary DatasetUpdate::foretell() {
  check_no_other_run(options_.folder, options_.force);
  if (auto done = look_up()) return std::move(*done);
  read_manifests();
  return updating_->dry_run();
}

/// Two updates at once could add the same speaker to two datasets of a split.
void DatasetUpdate::lock() {
  split_lock_ = repack::lock_split(check::split_root_of(options_.folder), options_, reporter());
  Run::lock();
  was_publishing_ = home().is_promised();
}

std::optional<UpdateSummary> DatasetUpdate::find() {
  repack::settle_folder(options_.folder, reporter());
  check_no_other_run(options_.folder, options_.force);
  // The lock is this run's own, and no other run is at work.
  if (!base::exists(base::inside(options_.folder, manifest::kDataset)))
    throw dataset::unfinished_error(options_.folder);
  if (options_.force) drop_unfinished(options_.folder);
  return look_up();
}

void DatasetUpdate::leave(const UpdateSummary& summary) {
  home().remove_work();
  repack::write_max_rejects(options_.folder, summary.max_rejects, summary.too_many_rejects);
}

repack::Made<UpdateSummary> DatasetUpdate::make() {
  read_manifests();
  PreparedUpdate prepared = updating_->prepare();
  repack::Made<UpdateSummary> made;
  if (prepared.is_complete())
    made.files.push_back({{}, std::move(prepared.renames), std::move(prepared.kept)});
  made.summary = std::move(prepared.summary);
  return made;
}

void check_no_update_waits(const std::string& folder, bool is_dropped) {
  check_no_other_run(folder, is_dropped);
  if (!is_dropped && base::exists(pipeline::journal_path(work_of(folder) + "/stage")))
    throw Error("an update of this dataset is not finished", at(folder), "give its command again",
                Remedy::start_over);
}

/// Removes samples from all datasets of a split.
class SplitUpdate final : public repack::Run<UpdateSummaries> {
 public:
  SplitUpdate(repack::SplitHome& home, const UpdateOptions& options, pipeline::Workers& workers,
              base::Reporter& reporter)
      : Run(home, options, reporter),
        home_(home),
        options_(options),
        workers_(workers),
        removal_(std::make_shared<Removal>(options)) {}

 protected:
  UpdateSummaries foretell() override;
  std::optional<UpdateSummaries> find() override;
  bool may_find_unlocked() const override { return false; }
  repack::Made<UpdateSummaries> make() override;
  bool is_work_worth_keeping() const override { return false; }

 private:
  /// The update of one of the datasets.
  struct Part {
    Part(const std::string& split, const std::string& folder, const UpdateOptions& given,
         const std::shared_ptr<Removal>& removal, pipeline::Workers& workers, base::Reporter& reporter)
        : name(split), options(in(folder, given)), updating(options, removal, workers, reporter) {}

    static UpdateOptions in(const std::string& folder, UpdateOptions options) {
      options.folder = folder;
      return options;
    }

    std::string name;
    UpdateOptions options;  // the update refers to it
    Updating updating;
  };

  /// nullopt: at least one of them is still to be changed.
  std::optional<UpdateSummaries> look_up(const std::vector<std::string>& names);
  /// A name must be in one of the datasets.
  void read_manifests();

  repack::SplitHome& home_;
  const UpdateOptions& options_;
  pipeline::Workers& workers_;
  std::shared_ptr<Removal> removal_;
  std::list<Part> parts_;  // they do not move
};

std::optional<UpdateSummaries> SplitUpdate::look_up(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    parts_.emplace_back(name, home_.folder_of(name), options_, removal_, workers_, reporter());
  UpdateSummaries summaries;
  for (const Part& part : parts_) {
    if (!part.updating.is_done()) return std::nullopt;
    summaries.emplace_back(part.name, part.updating.already_done());
  }
  return summaries;
}

void SplitUpdate::read_manifests() {
  for (Part& part : parts_) part.updating.read_manifests();
  removal_->check_all_found();
}

UpdateSummaries SplitUpdate::foretell() {
  if (auto done = look_up(manifest::split_names(options_.folder))) return std::move(*done);
  read_manifests();
  UpdateSummaries summaries;
  for (Part& part : parts_) summaries.emplace_back(part.name, part.updating.dry_run());
  return summaries;
}

std::optional<UpdateSummaries> SplitUpdate::find() {
  if (home_.begun()) home_.remove_work();  // of a change that was not promised
  home_.set_record(manifest::read_split_record(repack::split_record_path(options_.folder)));
  for (const std::string& name : home_.names()) {
    repack::settle_folder(home_.folder_of(name), reporter());
    check_no_update_waits(home_.folder_of(name), options_.force);
  }
  return look_up(home_.names());
}

repack::Made<UpdateSummaries> SplitUpdate::make() {
  read_manifests();
  home_.begin("update " + removal_->hash().hex());
  repack::Made<UpdateSummaries> made;
  for (Part& part : parts_) {
    base::remove_tree(work_of(part.options.folder));
    PreparedUpdate prepared = part.updating.prepare();
    made.summary.emplace_back(part.name, std::move(prepared.summary));
    made.files.push_back({part.name, std::move(prepared.renames), std::move(prepared.kept)});
  }
  return made;
}

UpdateSummaries update_split(const UpdateOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  if (!options.sources.empty() || !options.removes())
    throw Error("holds the datasets of a split, from which an update can only remove samples together",
                at(options.folder),
                fmt::format("name one of them, such as {}/{}", options.folder, deal::kTrain));
  repack::SplitHome home(options.folder, {});
  return SplitUpdate(home, options, workers, reporter).run();
}

UpdateSummaries update_dataset(const UpdateOptions& options, pipeline::Workers& workers,
                               base::Reporter& reporter) {
  check_folder(options.folder);
  repack::DatasetHome home(options.folder);
  return {{"", DatasetUpdate(home, options, workers, reporter).run()}};
}

}  // namespace

UpdateSummaries run_update(const UpdateOptions& given, pipeline::Workers& workers, base::Reporter& reporter) {
  UpdateOptions options = given;
  options.folder = base::without_end_slashes(std::move(options.folder));
  const repack::RunClock clock;
  UpdateSummaries summaries = repack::is_split(options.folder) ? update_split(options, workers, reporter)
                                                               : update_dataset(options, workers, reporter);
  for (auto& [name, summary] : summaries) summary.seconds = clock.elapsed_seconds();
  return summaries;
}

}  // namespace shardmill::update
