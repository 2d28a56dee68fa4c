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
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/reporter.hpp"
#include "check/separate_splits.hpp"
#include "dataset/publish.hpp"
#include "deal/split.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/workers.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/split.hpp"
#include "repack/split_change.hpp"
#include "update/options.hpp"
#include "update/request.hpp"
#include "update/updating.hpp"

namespace shardmill::update {

namespace {

using Summaries = std::vector<std::pair<std::string, UpdateSummary>>;

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

void check_no_update_waits(const std::string& folder, bool is_dropped) {
  check_no_other_run(folder, is_dropped);
  if (!is_dropped && base::exists(pipeline::journal_path(work_of(folder) + "/stage")))
    throw Error("an update of this dataset is not finished", at(folder), "give its command again",
                Remedy::start_over);
}

class SplitUpdate {
 public:
  SplitUpdate(const UpdateOptions& options, pipeline::Workers& workers, base::Reporter& reporter)
      : options_(options),
        workers_(workers),
        reporter_(reporter),
        removal_(std::make_shared<Removal>(options)) {}

  Summaries plan() {
    for (const std::string& name : manifest::split_names(options_.folder))
      add_part(name, options_.folder + "/" + name);
    if (is_done()) return already_done();
    read_manifests();
    Summaries summaries;
    for (Part& part : parts_) summaries.emplace_back(part.name, part.updating.dry_run());
    return summaries;
  }

  Summaries run() {
    repack::RepackOptions how;
    how.wait = options_.wait;
    how.command = options_.command;
    const repack::SplitChange change(options_.folder, how, reporter_);
    for (const std::string& name : change.names()) {
      repack::settle_folder(change.folder_of(name), reporter_);
      check_no_update_waits(change.folder_of(name), options_.force);
      add_part(name, change.folder_of(name));
    }
    if (is_done()) return already_done();
    read_manifests();
    change.begin("update " + removal_->hash().hex());
    try {
      return publish(change);
    } catch (...) {
      change.drop();
      throw;
    }
  }

 private:
  void add_part(const std::string& name, const std::string& folder) {
    parts_.emplace_back(name, folder, options_, removal_, workers_, reporter_);
  }

  bool is_done() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.updating.is_done(); });
  }

  Summaries already_done() const {
    Summaries summaries;
    for (const Part& part : parts_) summaries.emplace_back(part.name, part.updating.already_done());
    return summaries;
  }

  /// A name must be in one of the datasets.
  void read_manifests() {
    for (Part& part : parts_) part.updating.read_manifests();
    removal_->check_all_found();
  }

  Summaries publish(const repack::SplitChange& change) {
    Summaries summaries;
    std::vector<repack::SplitChange::Part> files;
    for (Part& part : parts_) {
      base::remove_tree(work_of(part.options.folder));
      PreparedUpdate prepared = part.updating.prepare();
      summaries.emplace_back(part.name, std::move(prepared.summary));
      files.push_back({part.name, std::move(prepared.renames), std::move(prepared.kept)});
    }
    change.publish(files);
    return summaries;
  }

  const UpdateOptions& options_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  std::shared_ptr<Removal> removal_;
  std::list<Part> parts_;  // they do not move
};

/// `options.folder` is that of the split. Returns the summary of each dataset, by name. Whatever ends it, all
/// datasets are as before, or the next command completes all of them. Throws Error, also when something
/// else than a removal is asked for.
Summaries update_split(const UpdateOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  if (!options.sources.empty() || !options.removes())
    throw Error("holds the datasets of a split, from which an update can only remove samples together",
                at(options.folder),
                fmt::format("name one of them, such as {}/{}", options.folder, deal::kTrain));
  const repack::RunClock clock;
  SplitUpdate update(options, workers, reporter);
  Summaries summaries = options.dry_run ? update.plan() : update.run();
  for (auto& [name, summary] : summaries) summary.seconds = clock.elapsed_seconds();
  return summaries;
}

/// Whatever ends it, the old dataset or the new one is there, or the same command finishes the new one.
/// Throws Error and UsageError, before anything is changed.
UpdateSummary update_dataset(const UpdateOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  const repack::RunClock clock;
  check_folder(options.folder);
  const std::shared_ptr<Removal> removal = options.removes() ? std::make_shared<Removal>(options) : nullptr;
  const std::string work = repack::work_folder_of(options.folder);
  repack::RepackOptions how;
  how.wait = options.wait;
  how.command = options.command;
  if (options.dry_run) {
    check_no_other_run(options.folder, options.force);
    Updating updating(options, removal, workers, reporter);
    if (updating.is_done()) return updating.already_done();
    updating.read_manifests();
    if (removal) removal->check_all_found();
    return updating.dry_run();
  }
  // Two updates at once could add the same speaker to two datasets of a split.
  std::optional<base::WriterLock> split_lock;
  if (const std::string root = check::split_root_of(options.folder); !root.empty())
    split_lock = repack::lock_folder(repack::work_folder_of(root), how, reporter);
  if (split_lock) repack::settle_split(check::split_root_of(options.folder), how, reporter);
  const base::WriterLock lock = repack::lock_folder(work, how, reporter);
  repack::settle_folder(options.folder, reporter);
  check_no_other_run(options.folder, options.force);
  if (options.force) drop_unfinished(options.folder);
  Updating updating(options, removal, workers, reporter);
  UpdateSummary summary;
  if (updating.is_done()) {
    repack::remove_work(work);
    summary = updating.already_done();
    repack::write_max_rejects(options.folder, summary.max_rejects, summary.too_many_rejects);
  } else {
    try {
      updating.read_manifests();
      if (removal) removal->check_all_found();
      PreparedUpdate prepared = updating.prepare();
      lock.check_held();
      if (prepared.is_complete()) dataset::publish(options.folder, prepared.renames, prepared.kept);
      summary = std::move(prepared.summary);
    } catch (...) {
      clean_up_failure(options.folder, lock);
      throw;
    }
    repack::remove_work(work);
  }
  summary.seconds = clock.elapsed_seconds();
  return summary;
}

}  // namespace

UpdateSummaries run_update(const UpdateOptions& given, pipeline::Workers& workers, base::Reporter& reporter) {
  UpdateOptions options = given;
  options.folder = base::without_end_slashes(std::move(options.folder));
  if (repack::SplitChange::is_split(options.folder)) return update_split(options, workers, reporter);
  return {{"", update_dataset(options, workers, reporter)}};
}

}  // namespace shardmill::update
