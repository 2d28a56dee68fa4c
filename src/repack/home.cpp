#include "repack/home.hpp"

#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "manifest/layout.hpp"

namespace shardmill::repack {

namespace fs = std::filesystem;

namespace {

const std::string kLockName = fs::path(manifest::kLockFile).filename().string();

}  // namespace

std::string work_folder_of(const std::string& folder) {
  return base::inside(folder, manifest::kWorkFolder);
}

std::string dataset_path(const std::string& folder) {
  return base::inside(folder, manifest::kDataset);
}

std::string lock_path(const std::string& work_folder) {
  return base::inside(work_folder, kLockName);
}

base::WriterLock lock_folder(const std::string& work_folder, const RunOptions& options,
                             base::Reporter& reporter) {
  const std::string path = lock_path(work_folder);
  if (!options.wait) return base::WriterLock::acquire(path, options.command);
  bool told = false;
  return base::WriterLock::wait(path, options.command, [&](const std::string& holder) {
    reporter.check_stop();
    if (!std::exchange(told, true)) reporter.phase("waiting for " + holder);
  });
}

// The list of files to publish goes last: while it is there, a run that
// follows a crash knows that the dataset is finished and the rest is to be removed.
void remove_work(const std::string& work_folder) {
  if (!base::exists(work_folder)) return;
  const fs::path list = dataset::publish_list_path(work_folder);
  for (const fs::path& entry : base::entries(work_folder)) {
    if (entry != list && entry.filename() != kLockName) base::remove_tree(entry);
  }
  base::remove_tree(list);
}

bool settle_folder(const std::string& folder, base::Reporter& reporter) {
  const dataset::Unfinished unfinished = dataset::unfinished_in(folder);
  const bool is_complete =
      unfinished == dataset::Unfinished::publishing && dataset::finish_publishing(folder);
  // Where a disk only failed to say what is there, nothing is given up.
  const bool is_given_up = unfinished == dataset::Unfinished::run && base::exists(dataset_path(folder)) &&
                           dataset::holds_unfinished_run(folder);
  if (is_given_up) warn_of_dropped_work(folder, reporter);
  if (is_complete || is_given_up) remove_work(work_folder_of(folder));
  return is_complete || is_given_up;
}

void warn_of_dropped_work(const std::string& folder, base::Reporter& reporter) {
  reporter.warn(
      Error("a repack that was to replace the dataset was interrupted: its work was removed, and the "
            "dataset stays as it was",
            at(folder)));
}

bool DatasetHome::is_untouched() const {
  // A lock that somebody holds belongs to a command that reads the dataset. A lock that a crash left is
  // removed.
  const bool is_left = base::exists(work()) && !base::WriterLock::holder(lock_path(work()));
  return !is_left && !dataset::holds_unfinished_run(folder());
}

bool DatasetHome::is_finished() const {
  return base::exists(dataset_path(folder()));
}

void DatasetHome::lock(const RunOptions& options, base::Reporter& reporter) {
  add_lock(lock_folder(work(), options, reporter));
}

/// What a split has prepared is not promised before all of the split is.
void DatasetHome::complete() {
  const bool is_interrupted = dataset::unfinished_in(folder()) == dataset::Unfinished::publishing;
  if (is_interrupted && dataset::finish_publishing(folder())) remove_work();
}

bool DatasetHome::is_promised() const {
  return base::exists(dataset::publish_list_path(work()));
}

void DatasetHome::publish(const std::vector<NewFiles>& files) {
  dataset::publish(folder(), files.front().renames, files.front().kept);
}

}  // namespace shardmill::repack
