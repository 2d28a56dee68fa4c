#include "repack/finished.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/hold.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "manifest/run_record.hpp"
#include "repack/home.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

using FileTime = fs::file_time_type;

FileTime as_file_time(std::chrono::sys_seconds day) {
  return std::chrono::file_clock::from_sys(day);
}

struct Written {
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
};

/// The source files of a finished dataset, by dataset and absolute path: a run in parts has only these, and
/// seen from another folder the same file has another relative path.
std::map<std::pair<std::string, std::string>, Written> files_of(const manifest::RunRecord& run) {
  std::map<std::pair<std::string, std::string>, Written> files;
  for (const auto& input : run.inputs)
    files[{input.dataset, base::absolute(input.path)}] = {.bytes = input.bytes, .mtime_ns = input.mtime_ns};
  return files;
}

}  // namespace

std::optional<std::string> difference_to_finished(const RepackPlan& plan, const std::string& folder) {
  const manifest::DatasetRecord finished = manifest::read_dataset_record(dataset_path(folder));
  if (!finished.updates.empty()) return "it was updated since it was made";
  if (auto what = dataset::difference_to_finished(finished.options, dataset::text_of(plan.recipe)))
    return what;
  return difference_of_sources(plan, folder, finished.inputs_xxh3);
}

std::optional<std::string> difference_of_sources(const RepackPlan& plan, const std::string& folder,
                                                 const base::Xxh128& inputs) {
  const bool are_called_the_same = inputs == plan.sources.digest();
  auto files = files_of(manifest::read_run_record(base::inside(folder, manifest::kRun)));
  std::size_t found = 0;
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const auto* list : {&dataset.files, &dataset.descriptions}) {
      for (const source::SourceFile& file : *list) {
        const auto then = files.find({dataset.name, base::absolute(file.path)});
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

Losses losses_in(const std::string& rejects_path) {
  Losses losses;
  std::set<std::string> unknown;
  bool has_error = false;
  manifest::RecordReader reader(rejects_path);
  for (manifest::Reject reject; reader.next(reject);) {
    if (!manifest::is_error(reject.reason)) continue;
    has_error = true;
    if (reject.samples_unknown) {
      unknown.insert(reject.source);
    } else {
      losses.samples += reject.samples.value_or(1);
    }
  }
  losses.unknown_files = unknown.size();
  // Even when damage hit no sample, it would be wrong to say that all is well.
  if (has_error && losses.unknown_files == 0) losses.samples = std::max<std::uint64_t>(losses.samples, 1);
  return losses;
}

Losses losses_of_last_run(const manifest::DatasetRecord& dataset, const std::string& rejects_path) {
  if (dataset.updates.empty()) return losses_in(rejects_path);
  return {.samples = dataset.updates.back().lost, .unknown_files = dataset.updates.back().lost_files};
}

bool is_within(const Losses& losses, std::uint64_t max_rejects) {
  if (max_rejects == kAnyNumber) return true;
  return losses.unknown_files == 0 && losses.samples <= max_rejects;
}

RepackSummary summary_of_finished(const std::string& folder, std::uint64_t max_rejects) {
  dataset::check_files_are_there(folder);
  return summary_of_records(folder, max_rejects);
}

RepackSummary summary_of_records(const std::string& folder, std::uint64_t max_rejects) {
  RepackSummary summary{.outcome = RepackSummary::Outcome::already_there};
  summary.dataset = manifest::read_dataset_record(dataset_path(folder));
  auto& counts = summary.counts;
  const std::string rejects = folder + "/" + std::string(manifest::kRejects);
  counts.left_out = summary.dataset.left_out;
  summary.losses = repack::losses_in(rejects);
  summary.max_rejects = max_rejects;
  summary.too_many_rejects = !repack::is_within(summary.losses, max_rejects);
  return summary;
}

void write_max_rejects(const std::string& folder, std::uint64_t max_rejects, bool too_many_rejects) {
  const std::string path = folder + "/" + std::string(manifest::kRun);
  manifest::RunRecord run = manifest::read_run_record(path);
  if (run.max_rejects != max_rejects) {
    run.max_rejects = max_rejects;
    base::AtomicFile file(path);
    file.write(std::string_view(to_json(run)));
    file.commit();
  }
  date_for_make(dataset_path(folder), too_many_rejects);
}

void keep_max_rejects(const std::string& folder, const RepackSummary& summary, const std::string& command,
                      base::Reporter& reporter) {
  const std::string path = folder + "/" + std::string(manifest::kRun);
  try {
    // Most commands that are given again have the same limit as before, and need no lock.
    const manifest::RunRecord run = manifest::read_run_record(path);
    std::optional<dataset::DatasetHold> hold;
    if (run.max_rejects != summary.max_rejects) {
      hold = dataset::DatasetHold::to_write(folder, command, reporter);
      const bool is_replaced = manifest::read_run_record(path).started != run.started;
      if (is_replaced) return;
    }
    write_max_rejects(folder, summary.max_rejects, summary.too_many_rejects);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    reporter.warn(error);
  }
}

void date_for_make(const std::string& dataset_path, bool too_many_rejects) {
  using std::chrono::January;
  using std::chrono::sys_days;
  const auto undone = as_file_time(sys_days(January / 1 / 1970));
  const auto oldest_of_all_filesystems =
      as_file_time(sys_days(January / 2 / 1980));  // FAT has no earlier time
  try {
    const bool was_undone = fs::last_write_time(dataset_path) <= oldest_of_all_filesystems;
    if (was_undone == too_many_rejects) return;
    fs::last_write_time(dataset_path, too_many_rejects ? undone : FileTime::clock::now());
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot set its time: " + error.code().message(), at(dataset_path));
  }
}

}  // namespace shardmill::repack
