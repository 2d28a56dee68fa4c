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

constexpr std::string_view kAllowMissingText = "allow-missing-text";
constexpr std::string_view kInterleaveOption = "interleave";

const std::string kLockName = fs::path(manifest::kLockFile).filename().string();

/// What is different from the finished dataset in `folder`; nullopt when the same run would make it again.
std::optional<std::string> difference_to_finished(const RepackPlan& plan, const std::string& folder) {
  const manifest::DatasetRecord finished = manifest::read_dataset_record(dataset_path(folder));
  for (const auto& [name, value] : plan.options) {
    const auto then = std::find_if(finished.options.begin(), finished.options.end(),
                                   [&name = name](const auto& option) { return option.first == name; });
    if (name == kAllowMissingText) {
      // Older versions asked for no transcripts, and what has them is what would be made now, too.
      if (then == finished.options.end() || value == "yes") continue;
    } else if (name == kInterleaveOption && then == finished.options.end()) {
      // Older versions read one file after the other, and knew no other way. The order is theirs, but the
      // samples and the balance are what the same command would make now.
      if (value == "1" || value == fmt::format("{}", kInterleave)) continue;
      return fmt::format("interleave: it was made with '1', now '{}' is asked for", value);
    } else if (then == finished.options.end()) {
      return "another version of shardmill made it";
    }
    if (then->second != value)
      return fmt::format("{}: it was made with '{}', now '{}' is asked for", name, then->second, value);
  }
  const auto is_known = [&](const auto& option) {
    return std::any_of(plan.options.begin(), plan.options.end(),
                       [&](const auto& known) { return known.first == option.first; });
  };
  if (!std::all_of(finished.options.begin(), finished.options.end(), is_known))
    return "another version of shardmill made it";
  if (finished.inputs_xxh3 != plan.sources.digest()) return "the source files are others";
  const auto run = manifest::read_run_record(folder + "/" + std::string(manifest::kRun));
  std::map<std::string, std::int64_t> written;
  for (const auto& input : run.inputs) written[input.path] = input.mtime_ns;
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *files) {
        if (written[file.path] != file.mtime_ns) return fmt::format("{} was written since", file.path);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string work_folder_of(const std::string& folder) {
  return folder + "/" + std::string(manifest::kWorkFolder);
}

std::string dataset_path(const std::string& folder) {
  return folder + "/" + std::string(manifest::kDataset);
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

/// The part of the number of shards that an estimate decides must not make a finished dataset look different.
std::optional<RepackSummary> already_there(const RepackOptions& options, const RepackPlan& plan) {
  if (options.force || !base::exists(dataset_path(options.out_folder))) return std::nullopt;
  if (const auto what = difference_to_finished(plan, options.out_folder)) {
    throw Error(fmt::format("holds a finished dataset that differs: {}", *what), at(options.out_folder),
                "--force replaces it, or choose another --out");
  }
  return summary_of_finished(options.out_folder, options.max_rejects);
}

std::optional<RepackSummary> already_there_untouched(const RepackOptions& options, const RepackPlan& plan) {
  const std::string work = work_folder_of(options.out_folder);
  // A lock that somebody holds is of a command that reads the dataset; one that is left of a crash is
  // removed.
  const bool is_left = base::exists(work) && !base::WriterLock::holder(lock_path(work));
  if (is_left || dataset::holds_unfinished_run(options.out_folder)) return std::nullopt;
  return already_there(options, plan);
}

// The list of what to publish goes last: while it is there, a run that
// follows a crash knows that the dataset is finished and the rest is to be removed.
void remove_work(const std::string& work_folder) {
  const fs::path list = dataset::publish_list_path(work_folder);
  for (const fs::path& entry : base::entries(work_folder)) {
    if (entry != list && entry.filename() != kLockName) base::remove_tree(entry);
  }
  base::remove_tree(list);
}

}  // namespace shardmill::repack
