#include "update/update.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "check/separate_splits.hpp"
#include "dataset/publish.hpp"
#include "repack/finish.hpp"
#include "repack/finished.hpp"
#include "repack/folder.hpp"
#include "repack/split.hpp"
#include "repack/split_change.hpp"
#include "update/folder.hpp"
#include "update/split_update.hpp"
#include "update/updating.hpp"

namespace shardmill::update {

namespace {

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
