#include "repack/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/io/folder.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "repack/finished.hpp"

namespace shardmill::repack {

namespace fs = std::filesystem;

namespace {

const std::string kLockName = fs::path(manifest::kLockFile).filename().string();

/// Compares sources by absolute paths: a run in parts has only these, and seen from another folder the same
/// file has another relative path.
std::string absolute(const std::string& path) {
  return base::absolute(path);
}

struct Written {
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
};

/// The source files of a finished dataset, by dataset and path.
std::map<std::pair<std::string, std::string>, Written> files_of(const manifest::RunRecord& run) {
  std::map<std::pair<std::string, std::string>, Written> files;
  for (const auto& input : run.inputs)
    files[{input.dataset, absolute(input.path)}] = {.bytes = input.bytes, .mtime_ns = input.mtime_ns};
  return files;
}

}  // namespace

std::optional<std::string> difference_of_sources(const RepackPlan& plan, const std::string& folder,
                                                 const base::Xxh128& inputs) {
  const bool are_called_the_same = inputs == plan.sources.digest();
  auto files = files_of(manifest::read_run_record(folder + "/" + std::string(manifest::kRun)));
  std::size_t found = 0;
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const auto* list : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *list) {
        const auto then = files.find({dataset.name, absolute(file.path)});
        if (then == files.end() || then->second.bytes != file.bytes) {
          if (!are_called_the_same) return "the source files are others";
          return fmt::format("{} was written since", file.path);
        }
        if (then->second.mtime_ns != file.mtime_ns) return fmt::format("{} was written since", file.path);
        ++found;
      }
    }
  }
  if (!are_called_the_same && found != files.size()) return "the source files are others";
  return std::nullopt;
}

std::optional<std::string> difference_to_finished(const RepackPlan& plan, const std::string& folder) {
  const manifest::DatasetRecord finished = manifest::read_dataset_record(dataset_path(folder));
  if (!finished.updates.empty()) return "it was updated since it was made";
  if (auto what = dataset::difference_to_finished(finished.options, dataset::text_of(plan.recipe)))
    return what;
  return difference_of_sources(plan, folder, finished.inputs_xxh3);
}

std::string work_folder_of(const std::string& folder) {
  return folder + "/" + std::string(manifest::kWorkFolder);
}

std::string dataset_path(const std::string& folder) {
  return folder + "/" + std::string(manifest::kDataset);
}

std::string list_root_of(const RepackOptions& options, const dataset::Recipe& recipe) {
  if (!recipe.list_root.empty()) return recipe.list_root;
  return options.final_place.empty() ? base::canonical(options.out_folder) : options.final_place;
}

std::string lock_path(const std::string& work_folder) {
  return work_folder + "/" + kLockName;
}

base::WriterLock lock_folder(const std::string& work_folder, const RepackOptions& options,
                             base::Reporter& reporter) {
  const std::string path = lock_path(work_folder);
  if (!options.wait) return base::WriterLock::acquire(path, options.command);
  bool told = false;
  return base::WriterLock::wait(path, options.command, [&](const std::string& holder) {
    reporter.check_stop();
    if (!std::exchange(told, true)) reporter.phase("waiting for " + holder);
  });
}

/// An estimate that decides the number of shards must not make a finished dataset look different.
std::optional<RepackSummary> already_there(const RepackOptions& options, const RepackPlan& plan) {
  if (options.force || !base::exists(dataset_path(options.out_folder))) return std::nullopt;
  if (const auto what = difference_to_finished(plan, options.out_folder)) {
    // Who replaces an updated dataset loses the updates.
    const bool is_updated = !manifest::read_dataset_record(dataset_path(options.out_folder)).updates.empty();
    throw Error(fmt::format("holds a finished dataset that differs: {}", *what), at(options.out_folder),
                is_updated ? Remedy::other_folder : Remedy::other_folder_or_replace);
  }
  return summary_of_finished(options.out_folder, options.max_rejects);
}

std::optional<RepackSummary> already_there_untouched(const RepackOptions& options, const RepackPlan& plan) {
  const std::string work = work_folder_of(options.out_folder);
  // A lock that somebody holds belongs to a command that reads the dataset. A lock that a crash left is
  // removed.
  const bool is_left = base::exists(work) && !base::WriterLock::holder(lock_path(work));
  if (is_left || dataset::holds_unfinished_run(options.out_folder)) return std::nullopt;
  return already_there(options, plan);
}

// The list of files to publish goes last: while it is there, a run that
// follows a crash knows that the dataset is finished and the rest is to be removed.
void remove_work(const std::string& work_folder) {
  const fs::path list = dataset::publish_list_path(work_folder);
  for (const fs::path& entry : base::entries(work_folder)) {
    if (entry != list && entry.filename() != kLockName) base::remove_tree(entry);
  }
  base::remove_tree(list);
}

bool settle_folder(const std::string& folder, base::Reporter& reporter) {
  const std::string work = work_folder_of(folder);
  const dataset::Unfinished unfinished = dataset::unfinished_in(folder);
  const bool is_complete =
      unfinished == dataset::Unfinished::publishing && dataset::finish_publishing(folder);
  const bool is_given_up = unfinished == dataset::Unfinished::run && base::exists(dataset_path(folder));
  if (is_given_up) warn_of_dropped_work(folder, reporter);
  if (is_complete || is_given_up) remove_work(work);
  return is_complete || is_given_up;
}

void warn_of_dropped_work(const std::string& folder, base::Reporter& reporter) {
  reporter.warn(
      Error("a repack that was to replace the dataset was interrupted: its work was removed, and the "
            "dataset stays as it was",
            at(folder)));
}

}  // namespace shardmill::repack
