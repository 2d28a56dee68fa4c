#include "repack/finished.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "base/io/file.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/hold.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "manifest/run_record.hpp"
#include "repack/folder.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

using FileTime = fs::file_time_type;

FileTime as_file_time(std::chrono::sys_seconds day) {
  return std::chrono::file_clock::from_sys(day);
}

}  // namespace

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
